import { render, type SimpleCommand } from "@hooks/shell";
import { textsOf } from "../arguments.js";
import type { Rule } from "../rule.js";
import { shaped } from "./shaped.js";

function line({ argv }: SimpleCommand): string {
  return argv.map(render).join(" ");
}

/** Rules about what only Windows has. Deletions there are judged by the rules about deletion. */
export const windows: readonly Rule[] = [
  {
    id: "windows-format",
    group: "windows",
    severity: "catastrophic",
    explanation: "It erases a disk.",
    instead: "Look at the disks first, and let a person erase one.",
    alternatives: ["Get-Disk"],
    references: ["https://learn.microsoft.com/windows-server/administration/windows-commands/format"],
    hits: ["format C: /q", "Format-Volume -DriveLetter D", "Clear-Disk -Number 0 -RemoveData", "echo clean | diskpart"],
    misses: ["format --help", "Get-Disk", "format disk --help", "Format-Table name", "prettier --format x"],
    programs: [
      "format",
      "format-volume",
      "clear-disk",
      "initialize-disk",
      "remove-partition",
      "diskpart",
      "remove-volume",
      "reset-physicaldisk",
    ],
    test: (command) => {
      const texts = textsOf(command.argv.slice(1));
      if (texts.some((text) => /^-whatif$/i.test(text))) return null;
      if (command.program === "format") return texts.find((text) => /^[a-z]:[\\/]?$/i.test(text)) ?? null;
      if (command.program === "diskpart") {
        const input = command.stdin.kind === "text" ? render(command.stdin.text) : "";
        return texts.some((text) => /^(\/s|<)$/i.test(text)) ||
          command.stdin.kind === "file" ||
          /clean|format|delete|convert/i.test(input)
          ? "diskpart"
          : null;
      }
      return line(command);
    },
  },
  shaped({
    id: "windows-recovery",
    group: "windows",
    severity: "high",
    explanation: "It deletes what Windows would be repaired from, or what it needs to start.",
    instead: "Leave backups and boot settings alone; list them if you need to know.",
    alternatives: ["vssadmin list shadows", "bcdedit /enum"],
    references: ["https://attack.mitre.org/techniques/T1490/"],
    hits: [
      "vssadmin delete shadows /all /quiet",
      "wmic shadowcopy delete",
      "bcdedit /delete {current}",
      "wbadmin delete catalog -quiet",
      "bcdedit /set {default} recoveryenabled no",
    ],
    misses: ["vssadmin list shadows", "bcdedit /enum"],
    shapes: [
      "vssadmin delete|resize",
      "wmic shadowcopy delete",
      "wbadmin delete",
      "bcdedit /delete|-delete|/deletevalue",
      "bcdedit /set * * no|ignoreallfailures",
      "reagentc /disable",
      "bootrec /fixmbr",
      "wevtutil cl|clear-log",
      "clear-eventlog *",
      "clear-recyclebin",
      "fsutil usn deletejournal",
      "cipher /w:*",
      "disable-computerrestore *",
    ],
  }),
  {
    id: "windows-registry",
    group: "windows",
    severity: "high",
    explanation: "It deletes keys of the registry that Windows and its programs need.",
    instead: "Export the key, and change the one value that is meant.",
    alternatives: ["reg query HKCU\\\\Software\\\\Example", "reg export HKCU\\\\Software\\\\Example backup.reg"],
    references: ["https://learn.microsoft.com/windows-server/administration/windows-commands/reg-delete"],
    hits: ["reg delete HKLM\\\\SOFTWARE /f", "Remove-Item HKLM:/SOFTWARE -Recurse"],
    misses: ["reg query HKLM\\\\SOFTWARE", "Remove-Item build -Recurse"],
    programs: ["reg", "remove-item", "remove-itemproperty"],
    test: (command) => {
      const texts = command.argv.slice(1).map(render);
      if (command.program === "reg")
        return /^delete$/i.test(texts[0] ?? "") &&
          /^(HKLM|HKEY_LOCAL_MACHINE|HKCR|HKEY_CLASSES_ROOT|HKU|HKCC|HKEY_USERS|HKCU(\\+Software)?$)/i.test(
            texts[1] ?? "",
          )
          ? (texts[1] ?? null)
          : null;
      return texts.find((text) => /^(HKLM|HKCR|HKU|HKCU|Registry:)[:\\/]/i.test(text)) ?? null;
    },
  },
  {
    id: "windows-kill",
    group: "windows",
    severity: "high",
    explanation: "It ends every process, or one Windows needs.",
    instead: "End the one process by its number.",
    alternatives: ["Get-Process node", "taskkill /PID 4242"],
    references: ["https://learn.microsoft.com/windows-server/administration/windows-commands/taskkill"],
    hits: [
      "taskkill /f /im *",
      "taskkill /F /IM explorer.exe",
      "Stop-Process -Name * -Force",
      "Get-Process | Stop-Process -Force",
    ],
    misses: ["taskkill /PID 4242 /F", "taskkill /IM node.exe /F", "Stop-Process -Id 4242", "Get-Process"],
    programs: ["taskkill", "stop-process"],
    test: (command) => {
      const texts = command.argv.slice(1).map(render);
      const vital = texts.find(
        (text) =>
          /^(\*|.*\*$|explorer(\.exe)?|lsass(\.exe)?|csrss(\.exe)?|winlogon(\.exe)?|wininit(\.exe)?|services(\.exe)?|svchost(\.exe)?|smss(\.exe)?|system)$/i.test(
            text,
          ) && !/^-/.test(text),
      );
      if (vital !== undefined) return vital;
      const isPiped = command.program === "stop-process" && command.stdin.kind === "text";
      return isPiped && command.stdin.from.some(({ program, argv }) => program === "get-process" && argv.length === 1)
        ? "every process"
        : null;
    },
  },
  shaped({
    id: "windows-ownership",
    group: "windows",
    severity: "high",
    explanation: "It takes ownership of, or opens to everybody, a whole tree of the system.",
    instead: "Change the one file that is meant.",
    alternatives: ["icacls build"],
    references: ["https://learn.microsoft.com/windows-server/administration/windows-commands/takeown"],
    hits: ["takeown /f C:\\\\Windows /r /d y", "icacls C:\\\\ /grant Everyone:F /t", "icacls C:/ /reset /t"],
    misses: ["icacls build", "takeown /f a.txt", "icacls build /grant me:F"],
    shapes: [
      "takeown /f C:* /r",
      "takeown /r /f C:*",
      "icacls C:* /grant|/reset|/remove|/deny /t",
      "icacls C:* /t /grant|/reset",
    ],
  }),
  shaped({
    id: "windows-account",
    group: "windows",
    severity: "high",
    explanation: "It deletes accounts, tasks or services, or turns off what protects the machine.",
    instead: "Ask the person who looks after the machine.",
    alternatives: ["net user", "sc query"],
    references: ["https://learn.microsoft.com/windows-server/administration/windows-commands/net-user"],
    hits: [
      "net user me /delete",
      "sc delete wuauserv",
      "schtasks /delete /tn * /f",
      "Set-MpPreference -DisableRealtimeMonitoring $true",
      "netsh advfirewall set allprofiles state off",
    ],
    misses: ["net user", "sc query", "schtasks /query", "Get-MpPreference"],
    shapes: [
      "net user|localgroup /delete",
      "sc delete",
      "schtasks /delete \\*|/tn \\*",
      "remove-localuser|remove-aduser|remove-adcomputer|remove-adgroup|remove-service *",
      "set-mppreference -Disable* *",
      "netsh advfirewall set * state off",
      "netsh advfirewall reset",
      "unregister-scheduledtask|disable-netadapter *",
      "net stop windefend|mpssvc|eventlog|wscsvc",
      "sc stop|config windefend|mpssvc|eventlog",
      "stop-service windefend|mpssvc|eventlog",
      "wmic process|os delete",
      "wmic process call terminate",
      "dism /remove-package|/disable-feature",
    ].map((shape) => shape.replaceAll("\\*", "*")),
  }),
];

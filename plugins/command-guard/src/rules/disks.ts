import { isOpaque, readOptions, render, type SimpleCommand, type Word } from "@hooks/shell";
import { argumentsOf, textsOf } from "../arguments.js";
import type { Rule } from "../rule.js";
import { writesOf } from "../writes.js";
import { shaped } from "./shaped.js";

/** Devices that hold data; `/dev/null` and its like do not. */
const DEVICE =
  /^\/dev\/(?:[shxv]d[a-z]+\d*|a?da\d+(?:[ps]\d+)?|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+)?|r?disk\d+(?:s\d+)?|dm-\d+|md\d+|mapper\/.+|disk\/.+|mem|kmem|port|vg\w*\/.+|nbd\d+|fd\d+|sr\d+|zvol\/.+|[shv]d[*?[].*|nvme[*?[].*|disk[*?[].*)$/;
const RAW = /^\\\\[.?]\\(physicaldrive|[a-z]:)/i;

function isDevice(word: Word): boolean {
  const text = render(word).replace(/\/{2,}/g, "/");
  return DEVICE.test(text) || RAW.test(text);
}

function firstDevice(words: readonly Word[]): string | null {
  const found = words.find(isDevice);
  return found === undefined ? null : render(found);
}

const MAKERS = [
  "mkfs",
  "mkfs.ext2",
  "mkfs.ext3",
  "mkfs.ext4",
  "mkfs.xfs",
  "mkfs.btrfs",
  "mkfs.vfat",
  "mkfs.fat",
  "mkfs.ntfs",
  "mkfs.exfat",
  "mkfs.f2fs",
  "mke2fs",
  "mkswap",
  "mkdosfs",
  "mkntfs",
  "newfs",
  "newfs_apfs",
  "newfs_hfs",
  "wipefs",
  "blkdiscard",
  "sgdisk",
  "badblocks",
  "nvme",
  "hdparm",
  "cryptsetup",
  "mdadm",
  "shred",
  "scrub",
  "fdisk",
  "sfdisk",
  "cfdisk",
  "gdisk",
  "parted",
  "pvcreate",
  "pvremove",
  "vgremove",
  "lvremove",
  "zpool",
  "zfs",
  "nwipe",
  "ddrescue",
  "btrfs",
  "flashrom",
  "efibootmgr",
];

/** Programs that only look when they are asked to. */
const LOOKS =
  /^(-l|--list|-p|--print|print|-v|--json|-n|--no-act|--dry-run|--test|-t|status|list|list-subsys|id-ctrl|smart-log|luksDump|isLuks|--detail|--examine|-I|-i|-tT|scan|get|show|history)$/;

/** Those of them that only ever write: their `-t`, `-l` and `-i` are values, not ways to look. */
const MAKES = /^(mk|newfs|nwipe|shred|scrub|blkdiscard|pvcreate)/;

/** Whether nothing is made: `-n` of ext is a try, `-n` of vfat is a name. */
function isTry(program: string, texts: readonly string[]): boolean {
  if (texts.includes("--dry-run")) return true;
  const type = /^mkfs$/.test(program) ? (texts[texts.indexOf("-t") + 1] ?? "ext2") : program;
  return texts.includes("-n") && /ext\d|mke2fs|mkntfs/.test(type);
}

function formats(command: SimpleCommand): string | null {
  const texts = textsOf(command.argv.slice(1));
  const device = firstDevice(command.argv.slice(1));
  const { program } = command;
  if (program === "zpool" || program === "zfs")
    return texts[0] === "destroy" && !texts.includes("-n") ? texts.join(" ") : null;
  if (program === "btrfs") return /^(subvolume|su\w*) (delete|del)/.test(texts.join(" ")) ? texts.join(" ") : null;
  if (program === "flashrom")
    return texts.some((text) => /^(-w|-E|--write|--erase)$/.test(text)) ? texts.join(" ") : null;
  if (program === "efibootmgr")
    return texts.some((text) => /^(-\w*[BO]|--delete-bootnum|--delete-bootorder)$/.test(text)) ? texts.join(" ") : null;
  if (program === "ddrescue") return firstDevice(command.argv.slice(2));
  if (program === "vgremove" || program === "lvremove" || program === "pvremove")
    return texts.includes("--test") ? null : texts.join(" ");
  if (
    device === null ||
    (MAKES.test(program ?? "") ? isTry(program ?? "", texts) : texts.some((text) => LOOKS.test(text)))
  )
    return null;
  if (program === "wipefs" && !texts.some((text) => /^(-\w*[ao]|--all|--offset)/.test(text))) return null;
  if (program === "badblocks" && !texts.some((text) => /^-\w*w/.test(text))) return null;
  if (
    program === "hdparm" &&
    !texts.some((text) => /^--(security-erase|trim-sector|write-sector|make-bad|fwdownload|sanitize)/.test(text))
  )
    return null;
  if (program === "nvme" && !/^(format|sanitize|write|delete-ns)$/.test(texts[0] ?? "")) return null;
  if (
    program === "cryptsetup" &&
    !/^(luksFormat|erase|luksErase|reencrypt|format)$/.test(texts.find((text) => !text.startsWith("-")) ?? "")
  )
    return null;
  if (program === "mdadm" && !texts.some((text) => /^--(zero-superblock|create|stop)$/.test(text))) return null;
  return device;
}

/** Rules about disks and file systems. */
export const disks: readonly Rule[] = [
  {
    id: "disk-write",
    group: "disks",
    severity: "catastrophic",
    explanation: "It writes over a disk, with the partitions and file systems on it.",
    instead: "Write to an image file; let a person write it to a disk.",
    alternatives: ["dd if=/dev/zero of=disk.img bs=1M count=64"],
    references: ["https://man7.org/linux/man-pages/man1/dd.1.html"],
    hits: [
      "dd if=/dev/zero of=/dev/sda",
      "cat x > /dev/nvme0n1",
      "cp image.iso /dev/disk2",
      "echo x | sudo tee /dev/sdb",
      "shred /dev/sda",
    ],
    misses: [
      "dd if=/dev/sda of=backup.img",
      "echo x > /dev/null",
      "cat /dev/sda1 | head -c 512 > mbr.bin",
      "ls /dev/sda",
    ],
    test: (command) => {
      if (
        command.redirections.length === 0 &&
        command.program !== null &&
        !/^(dd|dcfldd|dc3dd|cp|mv|tee|install|truncate|shred|sponge|fallocate|sed|python[\d.]*|node|perl|ruby|php)$/.test(
          command.program,
        )
      )
        return null;
      return firstDevice(writesOf(command).map(({ path }) => path));
    },
  },
  {
    id: "disk-format",
    group: "disks",
    severity: "catastrophic",
    explanation: "It makes a new file system or partition table: what was on the disk is gone.",
    instead: "Use an image file for tries; `lsblk` shows which disk is which.",
    alternatives: ["lsblk -f", "mkfs.ext4 disk.img"],
    references: ["https://man7.org/linux/man-pages/man8/mkfs.8.html"],
    hits: [
      "mkfs.ext4 /dev/sda1",
      "mkfs -t xfs /dev/sdb1",
      "mkfs.vfat -n DATA /dev/sdc1",
      "wipefs -a /dev/sdb",
      "sgdisk --zap-all /dev/nvme0n1",
      "parted /dev/sda mklabel gpt",
      "zpool destroy tank",
      "nvme format /dev/nvme0n1",
    ],
    misses: [
      "fdisk -l",
      "lsblk",
      "parted /dev/sda print",
      "mkfs.ext4 disk.img",
      "mkfs.ext4 -n /dev/sda1",
      "wipefs /dev/sda",
      "zpool status",
    ],
    programs: MAKERS,
    test: formats,
  },
  shaped({
    id: "disk-erase-mac",
    group: "disks",
    severity: "catastrophic",
    explanation: "It erases a disk or its partitions.",
    instead: "Look at the disks first, and let a person erase one.",
    alternatives: ["diskutil list"],
    references: ["https://ss64.com/mac/diskutil.html"],
    hits: [
      "diskutil eraseDisk APFS x disk2",
      "diskutil apfs deleteContainer disk1",
      "asr restore --source x --target /dev/disk2 --erase",
    ],
    misses: ["diskutil list", "diskutil info disk2"],
    shapes: [
      "diskutil erase*|secureErase|partitionDisk|zeroDisk|randomDisk|reformat|deleteVolume|deleteContainer",
      "diskutil apfs|cs|ar delete*|erase*",
      "asr restore --erase",
    ],
  }),
  {
    id: "disk-unknown",
    group: "disks",
    severity: "medium",
    explanation: "Only a run would show which disk or file it overwrites.",
    instead: "Print the name first, then write it out.",
    alternatives: ['echo "$DISK"', "dd if=/dev/zero of=disk.img bs=1M count=64"],
    references: ["https://man7.org/linux/man-pages/man1/dd.1.html"],
    hits: ["dd if=/dev/zero of=$DISK", "mkfs.ext4 $(findmnt -no SOURCE /)", "wipefs -a $DEV"],
    misses: [
      "dd if=/dev/zero of=$OUT/disk.img",
      "IMG=disk.img; mkfs.ext4 $IMG",
      "dd if=$ISO of=copy.iso",
      "mkfs --help",
    ],
    programs: ["dd", ...MAKERS],
    test: (command) => {
      const isOpen = (word: Word) => word.pieces.length > 0 && isOpaque(word);
      if (command.program !== "dd") {
        if (!/^(mk|newfs|wipefs|sgdisk|blkdiscard|shred)/.test(command.program ?? "")) return null;
        const last = command.argv[command.argv.length - 1];
        return command.argv.length > 1 && last !== undefined && isOpen(last) ? render(last) : null;
      }
      const isNoise = command.argv.some(({ text }) => /^if=\/dev\/(zero|u?random)$/.test(text ?? ""));
      const target = writesOf(command).find(({ path }) => isOpen(path));
      return isNoise && target !== undefined ? render(target.path) : null;
    },
  },
  {
    id: "overwrite-system",
    group: "disks",
    severity: "high",
    explanation: "It overwrites a file the system needs, to start or to let people in.",
    instead: "Write a copy, compare it, and let a person put it in place.",
    alternatives: ["cp /etc/fstab ./fstab.new", "diff fstab.new /etc/fstab"],
    references: ["https://man7.org/linux/man-pages/man5/passwd.5.html"],
    hits: [
      "echo x > /etc/passwd",
      "truncate -s 0 /etc/shadow",
      "cp sh /bin/ls",
      "echo 'me ALL=(ALL) NOPASSWD:ALL' | sudo tee -a /etc/sudoers",
      "ln -sf /dev/null /usr/bin/sudo",
    ],
    misses: [
      "cat /etc/passwd",
      "echo '127.0.0.1 x' | sudo tee -a /etc/hosts",
      "cp /etc/passwd .",
      "install x /usr/local/bin/x",
    ],
    test: (command) => {
      if (command.redirections.length === 0 && command.program === null) return null;
      if (command.elsewhere !== null && command.elsewhere !== "ssh") return null;
      const found = writesOf(command).find(({ path, appends }) => {
        const text = path.text ?? "";
        if (/^[a-z]:\/+windows\//i.test(text) && !/^[a-z]:\/+windows\/temp\//i.test(text)) return true;
        if (/^\/etc\/(passwd|shadow|gshadow|group|sudoers(\.d\/.*)?|pam\.d\/.*|ld\.so\.preload)$/.test(text))
          return true;
        return (
          !appends &&
          /^\/(boot\/|bin\/|sbin\/|lib(64|32)?\/|usr\/(bin|sbin|lib(64|32)?)\/|etc\/(fstab|hosts|crypttab|ssh\/|ld\.so|profile$|security\/|systemd\/system\/)|proc\/(kcore|sys\/kernel)|sys\/firmware)/.test(
            text,
          )
        );
      });
      return found === undefined ? null : render(found.path);
    },
  },
  {
    id: "unpack-root",
    group: "disks",
    severity: "medium",
    explanation: "It unpacks an archive over the root of the file system, and replaces whatever has the same names.",
    instead: "Unpack it into an empty directory, and look at what is inside.",
    alternatives: ["tar tzf a.tgz", "mkdir -p /tmp/unpacked && tar xzf a.tgz -C /tmp/unpacked"],
    references: ["https://man7.org/linux/man-pages/man1/tar.1.html"],
    hits: ["tar xzf a.tgz -C /", "sudo tar -xf a.tar --directory=/etc", "unzip -o a.zip -d /usr"],
    misses: ["tar xzf a.tgz -C /usr/local", "tar czf a.tgz -C / etc", "unzip a.zip -d /tmp/x"],
    programs: ["tar", "bsdtar", "unzip"],
    test: (command, scene) => {
      const args = command.argv.slice(1);
      const { options } = readOptions(args, { short: "fCdTXbgHKLNVIxP", long: ["directory", "file", "exclude"] });
      const unpacks =
        command.program === "unzip" ||
        args.some(
          ({ text }, index) =>
            /^(--extract|--get|-\w*x\w*)$/.test(text ?? "") || (index === 0 && /^\w*x\w*$/.test(text ?? "")),
        );
      const into = options.find(({ name }) => /^(-C|--directory|-d)$/.test(name))?.value;
      if (!unpacks || into == null || /^\/(usr\/local|opt|srv)\/?$/.test(into.text ?? "")) return null;
      return scene.find([into], command, "root", "system");
    },
  },
  {
    id: "unmount-all",
    group: "disks",
    severity: "medium",
    explanation: "It takes every disk away from what is using it.",
    instead: "Unmount the one that is meant.",
    alternatives: ["umount /mnt/usb"],
    references: ["https://man7.org/linux/man-pages/man8/umount.8.html"],
    hits: ["umount -a", "umount -l /", "swapoff -a"],
    misses: ["umount /mnt/usb", "mount"],
    programs: ["umount", "swapoff"],
    test: (command) => {
      const { options, operands } = argumentsOf(command, { short: "tO" });
      if (options.some(({ name }) => name === "-a" || name === "--all")) return "everything";
      return operands.some(({ text }) => /^\/(usr|home|var|boot)?$/.test(text ?? ""))
        ? "a file system the machine needs"
        : null;
    },
  },
];

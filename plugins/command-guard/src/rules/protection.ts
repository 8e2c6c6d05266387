import { render } from "@hooks/shell";
import type { Rule } from "../rule.js";
import { shaped, shapeTest } from "./shaped.js";

/** Services without which a machine is open, deaf or blind. */
const GUARDIANS =
  "firewalld*|ufw*|sshd*|ssh|ssh.service|networkmanager*|systemd-networkd*|systemd-logind*|systemd-journald*|dbus*|auditd*|apparmor*|fail2ban*";

/** Rules about accounts, firewalls and whatever else keeps a machine its owner's. */
export const protection: readonly Rule[] = [
  shaped({
    id: "account-delete",
    group: "system",
    severity: "high",
    explanation: "It deletes an account, or locks people out of one.",
    instead: "Ask the person who looks after the machine.",
    alternatives: ["id me", "getent passwd me"],
    references: ["https://man7.org/linux/man-pages/man8/userdel.8.html"],
    hits: ["userdel -r me", "deluser me", "passwd -l root", "usermod -L me"],
    misses: ["id me", "passwd", "useradd x"],
    shapes: [
      "userdel|deluser|groupdel|delgroup",
      "passwd -l|-d|--lock|--delete",
      "usermod -L|--lock",
      "dscl delete|-delete",
      "sysadminctl -deleteUser",
    ],
  }),
  {
    id: "firewall-off",
    group: "system",
    severity: "high",
    explanation: "It throws away the rules that decide who may reach the machine, and may shut out who works on it.",
    instead: "Show the rules, and change the one that is meant.",
    alternatives: ["iptables -L -n", "ufw status", "ufw allow 8080/tcp"],
    references: ["https://man7.org/linux/man-pages/man8/iptables.8.html"],
    hits: [
      "iptables -F",
      "iptables -t nat --flush",
      "iptables -P INPUT DROP",
      "nft flush ruleset",
      "ufw disable",
      "pfctl -d",
    ],
    misses: ["iptables -L", "ufw status", "nft list ruleset", "pfctl -s rules", "ufw allow 22"],
    programs: ["iptables", "ip6tables", "nft", "ufw", "pfctl", "ipfw", "firewall-cmd"],
    test: shapeTest(
      "iptables|ip6tables -F|--flush",
      "iptables|ip6tables -X|--delete-chain",
      "iptables|ip6tables -P|--policy * drop|reject",
      "nft flush|destroy",
      "nft delete table|chain",
      "ufw disable|reset",
      "pfctl -d|-F",
      "ipfw flush|-f",
      "firewall-cmd --panic-on",
    ),
  },
  shaped({
    id: "protection-off",
    group: "system",
    severity: "medium",
    explanation: "It turns off what protects the machine, or what connects it.",
    instead: "Look at the state first, and change the one thing that is meant.",
    alternatives: ["systemctl status sshd", "ip addr", "getenforce"],
    references: ["https://man7.org/linux/man-pages/man8/ip-link.8.html"],
    hits: [
      "setenforce 0",
      "systemctl stop firewalld",
      "service ssh stop",
      "ip link set eth0 down",
      "ip route del default",
    ],
    misses: [
      "systemctl restart nginx",
      "ip addr",
      "service nginx stop",
      "ip route",
      "launchctl unload ~/Library/LaunchAgents/x.plist",
    ],
    shapes: [
      "setenforce 0|permissive",
      `systemctl stop|disable|mask|kill ${GUARDIANS}`,
      "service ssh|sshd|ufw|firewalld|iptables|auditd|apparmor|networking|networkmanager stop",
      "launchctl unload|bootout|disable|remove *system*",
      "csrutil disable",
      "spctl --master-disable",
      "nvram -c",
      "auditctl -e 0",
      "sysctl kernel.randomize_va_space=0",
      "ip link|l set|s * down",
      "ip route|r flush",
      "ip route|r del|delete default*",
      "ip addr|address|a flush",
      "ifconfig * down",
      "nmcli networking|n off",
      "nmcli radio all off",
      "rfkill block",
    ],
  }),
  {
    id: "container-host-root",
    group: "system",
    severity: "high",
    explanation: "It gives a container the host's whole file system: what runs inside is no longer contained.",
    instead: "Mount the directory that is meant, read-only where that is enough.",
    alternatives: ['docker run --rm -v "$PWD/src:/src:ro" alpine ls /src'],
    references: ["https://docs.docker.com/engine/storage/bind-mounts/"],
    hits: [
      "docker run -v /:/host alpine sh",
      "podman run --mount type=bind,source=/,target=/h x",
      "docker run --privileged --pid=host x nsenter -t 1 -m sh",
    ],
    misses: ["docker run -v $PWD:/app node", "docker run -v /tmp/x:/x alpine", "docker ps"],
    programs: ["docker", "podman", "nerdctl"],
    test: (command) => {
      const texts = command.argv.map(render);
      const mount =
        texts.find(
          (text) =>
            /^(-v|--volume=)?\/(etc|root|boot|usr|var\/run\/docker\.sock)?:\//.test(text) && !/^\/var\/run/.test(text),
        ) ?? texts.find((text) => /(^|,|=)(source|src)=\/(etc|root|boot|usr)?(,|$)/.test(text));
      if (mount !== undefined) return mount;
      return texts.includes("--privileged") && texts.some((text) => text === "--pid=host" || text === "host")
        ? "--privileged"
        : null;
    },
  },
];

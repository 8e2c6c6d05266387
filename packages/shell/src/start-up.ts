/** Files a shell, git or a desktop runs on its own: what is put there is a command for later. */
const RUN_LATER =
  /(^|\/)(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|zlogout|kshrc|xprofile|xinitrc)|\.git\/hooks\/[\w-]+|\.githooks\/[\w-]+|\.husky\/[\w-]+)$|^\/etc\/(profile|bash\.bashrc|zsh\/\w+|profile\.d\/[\w.-]+|rc\.local|cron\.(daily|hourly|weekly|monthly)\/[\w.-]+)$/;

export function runsLater(path: string): boolean {
  return RUN_LATER.test(path);
}

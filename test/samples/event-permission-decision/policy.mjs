export const guard = () => ({ decision: "deny", reason: "never unattended" });

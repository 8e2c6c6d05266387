import type { Rule } from "./rule.js";
import { cloud } from "./rules/cloud.js";
import { containers } from "./rules/containers.js";
import { credentials } from "./rules/credentials.js";
import { databases } from "./rules/databases.js";
import { deletion } from "./rules/deletion.js";
import { disks } from "./rules/disks.js";
import { gitRules } from "./rules/git.js";
import { infrastructure } from "./rules/infrastructure.js";
import { network } from "./rules/network.js";
import { packages } from "./rules/packages.js";
import { permissions } from "./rules/permissions.js";
import { protection } from "./rules/protection.js";
import { repositories } from "./rules/repositories.js";
import { system } from "./rules/system.js";
import { tokens } from "./rules/tokens.js";
import { windows } from "./rules/windows.js";

/** Every rule, in the order in which they are shown. */
export const rules: readonly Rule[] = [
  ...deletion,
  ...gitRules,
  ...repositories,
  ...disks,
  ...permissions,
  ...system,
  ...protection,
  ...network,
  ...credentials,
  ...tokens,
  ...windows,
  ...packages,
  ...containers,
  ...cloud,
  ...databases,
  ...infrastructure,
];

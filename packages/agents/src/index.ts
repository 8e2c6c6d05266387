export {
  type Ability,
  type Agent,
  type AgentName,
  agentNames,
  type NativeEvent,
  type Reply,
  type Ruling,
} from "./agent.js";
export {
  agents,
  answerCall,
  type Call,
  type Fire,
  isAgentName,
  MAX_PAYLOAD_BYTES,
  readCall,
  refuseCall,
  sessionOf,
} from "./answer.js";
export {
  type FileChange,
  type InstallOptions,
  installedEvents,
  planInstall,
  planUninstall,
} from "./install.js";
export { quote } from "./launcher.js";
export { McpRelay, type McpRelayOptions } from "./mcp.js";
export { type Level, type Place, settingsPath } from "./place.js";
export { ownCommands, UnusableSettings } from "./settings-file.js";
export { doubles, installedCommands, type Obstacle, obstacles } from "./wiring.js";

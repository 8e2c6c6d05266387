/**
 * The plugin that OpenCode loads. It runs in OpenCode's process, knows no policy, and passes each question to the
 * command; whatever goes wrong before a tool or a prompt is a refusal.
 */
export function pluginSource(commands: Readonly<Record<string, string>>): string {
  return `// Written by \`harn init --agent opencode\`; \`harn init --agent opencode --uninstall\` removes it.
import { spawn } from "node:child_process";

const COMMANDS = ${JSON.stringify(commands, null, 2)};
const DEADLINE_MS = 60_000;
const FORWARDED = ["session.created", "session.deleted", "session.idle", "session.compacted", "session.error", "file.edited"];

function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", COMMANDS[event]], { cwd: payload.cwd, stdio: ["pipe", "pipe", "pipe"] });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("harn did not answer in time"));
    }, DEADLINE_MS);
    let out = "";
    let err = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    child.stderr.on("data", (chunk) => (err += chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) return reject(new Error(err.trim() || "harn ended with exit code " + code));
      try {
        resolve(JSON.parse(out || "{}"));
      } catch {
        reject(new Error("harn answered with something that is not JSON"));
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }));
  });
}

// Arguments must be changed in place: a new object would be ignored and the old arguments would run.
function replace(target, source) {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

export const Harn = async ({ directory }) => {
  let mcp_servers = [];
  const send = (event, input, output = null) => ask(event, { cwd: directory, mcp_servers, input, output });
  const observe = (event, input, output) => send(event, input, output).catch((error) => (console.error(error.message), {}));
  return {
    config: async (config) => {
      mcp_servers = Object.keys(config.mcp ?? {});
    },
    event: async ({ event }) => {
      if (FORWARDED.includes(event.type)) await observe("event", { event });
    },
    "chat.message": async (input, output) => {
      const answer = await send("chat.message", { sessionID: input.sessionID }, { parts: output.parts });
      if (answer.prompt === undefined) return;
      const texts = output.parts.filter((part) => part.type === "text");
      for (const [place, part] of texts.entries()) part.text = place === 0 ? answer.prompt : "";
    },
    "tool.execute.before": async (input, output) => {
      const answer = await send("tool.execute.before", input, { args: output.args });
      if (answer.args !== undefined) replace(output.args, answer.args);
    },
    "tool.execute.after": async (input, output) => {
      try {
        const answer = await send("tool.execute.after", input, output);
        if (answer.output === undefined) return;
        output.output = answer.output;
      } catch (error) {
        output.output = error.message;
      }
      output.metadata = {};
    },
    "experimental.session.compacting": async (input, output) => {
      const answer = await observe("experimental.session.compacting", input, null);
      if (answer.context !== undefined) output.context.push(answer.context);
    },
  };
};
`;
}

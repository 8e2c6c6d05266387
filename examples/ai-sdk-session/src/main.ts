import { runPrompt } from "./agent.js";
import { startLoopback } from "./loopback.js";
import { openProvider } from "./provider.js";

// With AI_BASE_URL and AI_MODEL this asks a real provider; without them a stand-in answers on the loopback interface.
const { AI_BASE_URL, AI_MODEL = "stand-in", AI_API_KEY } = process.env;
const loopback =
  AI_BASE_URL === undefined
    ? await startLoopback([
        { tool: "read_file", args: { path: "package.json" } },
        { tool: "read_file", args: { path: ".env" } },
        { status: 503 },
        "The build is `tsc -b`; the token is not mine to read.",
      ])
    : undefined;
const openModel = openProvider(AI_BASE_URL ?? loopback?.url ?? "", AI_API_KEY);

try {
  const prompt = "How is this project built, and which token does it use?";
  console.log(`The user: ${prompt}\n`);
  const result = await runPrompt(openModel(AI_MODEL), prompt, ({ event, verdict, by, reason }) =>
    console.log(`${event.padEnd(18)}${verdict === "block" ? `blocked by ${by}: ${reason}` : verdict}`),
  );
  console.log(`\nThe model: ${result.text}`);
} finally {
  await loopback?.close();
}

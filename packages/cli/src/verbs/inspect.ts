import { dirname, resolve } from "node:path";
import { findManifest } from "@hooks/manifest";
import { EXIT } from "../exit.js";
import { type Offer, offerLines, readOffer } from "../offer.js";
import { defineVerb, POLICY_FLAGS } from "../verb.js";

export const verb = defineVerb({
  usage: "inspect PACKAGE ... [--manifest FILE] [--json]",
  about: `Shows what an installed package offers, and runs nothing of it: its hooks with their events, capabilities and options; of
a policy pack, every hook it brings. The package is looked for where the manifest would find it.`,
  flags: POLICY_FLAGS,
  words: { least: 1, most: Number.POSITIVE_INFINITY },
  examples: [
    { command: "harn inspect @hooks/command-guard", shows: "what can be bound, and with which options" },
    { command: "harn inspect @hooks/recommended --json", shows: "what a pack brings, for a program" },
  ],
  async run({ flags, words }, { host, print, json, paint }) {
    const manifest = flags.manifest === undefined ? await findManifest(host.cwd) : resolve(host.cwd, flags.manifest);
    const offers: Offer[] = [];
    for (const name of words) offers.push(await readOffer(name, manifest === null ? host.cwd : dirname(manifest)));
    if (flags.json) json({ ok: true, packages: offers });
    else for (const line of offers.flatMap((offer) => offerLines(offer, paint))) print(line);
    return EXIT.fine;
  },
});

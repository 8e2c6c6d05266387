import {
  type HookContext,
  type HookReturn,
  type Json,
  type JsonObject,
  mapResponseTexts,
  modify,
  type Payload,
} from "@hooks/core";
import { cutTexts, parseJson, shrinkJson } from "./json.js";
import { type Settings, settingsOf } from "./settings.js";
import { measure, shareOf } from "./shares.js";
import { spill } from "./spill.js";
import { cutText, fits, isBinary, wellFormed } from "./text.js";

type ResultEvent = "PostToolUse" | "PostToolUseFailure" | "SubagentVerify" | "SubagentStop";
type CappedEvent = ResultEvent | "PostCompletion" | "TurnEnd" | "Stop";
type PayloadOf<E extends CappedEvent> = { [K in E]: Payload<K> }[E];
type ReturnOf<E extends CappedEvent> = { [K in E]: HookReturn<K> }[E];

/** Takes secrets out of what a tool or a model produced, then cuts what is too long. */
export function cap<E extends CappedEvent>(payload: Payload<E>, context: HookContext): HookReturn<E>;
export function cap(given: unknown, { options }: HookContext): unknown {
  return capPayload(given as PayloadOf<CappedEvent>, options);
}

function capPayload(payload: PayloadOf<CappedEvent>, options: unknown): ReturnOf<CappedEvent> {
  const settings = settingsOf(options);
  if ("response" in payload) {
    const response = capResponse(payload.response, settings);
    return response === payload.response ? undefined : modify({ response });
  }
  if ("result" in payload) return capResult(payload, settings);
  const text = "text" in payload ? payload.text : undefined;
  if (text === undefined) return undefined;
  const capped = capText(text, settings, payload.event);
  return capped === text ? undefined : modify({ text: capped });
}

function capResult(payload: PayloadOf<ResultEvent>, settings: Settings): ReturnOf<ResultEvent> {
  const { result } = payload;
  if (result === undefined) return undefined;
  const name = "tool" in payload ? payload.tool.name : payload.subagent.name;
  if (result.value === undefined || typeof result.value === "string") {
    const text = capText(result.text, settings, name);
    return text === result.text ? undefined : change(text, result.text.length - text.length);
  }
  // The text that goes with a structured value may say more than the value: what is kept of both is the value.
  const value = capJson(result.value, settings, name);
  const isTextFine = settings.redactor.text(result.text).found.size === 0 && fits(result.text, settings);
  if (value === result.value && isTextFine) return undefined;
  return change(
    value,
    Math.max(result.text.length, JSON.stringify(result.value).length) - JSON.stringify(value).length,
  );
}

function change(result: Json, shorter: number): ReturnOf<ResultEvent> {
  return modify({ result, dropped: Math.max(0, shorter) });
}

function capText(given: string, settings: Settings, name: string): string {
  if (isBinary(given)) {
    const where = spill(wellFormed(settings.redactor.text(given).text), name, settings);
    return firstThatFits(
      settings,
      where,
      (place) => `[binary output of ${given.length} characters, not shown${place}]`,
    );
  }
  const whole = wellFormed(given);
  const parsed = parseJson(whole);
  if (parsed !== undefined) {
    const value = capJson(parsed, settings, name);
    return value === parsed && fits(whole, settings) ? whole : JSON.stringify(value);
  }
  const { text } = settings.redactor.text(whole);
  if (fits(text, settings)) return text;
  const where = spill(text, name, settings);
  return cutText(text, settings, (dropped) => `[... ${dropped} characters dropped${where} ...]`);
}

function capJson(given: Json, settings: Settings, name: string): Json {
  const { value } = settings.redactor.json(given);
  const text = JSON.stringify(value);
  if (fits(text, settings)) return value;
  const where = spill(text, name, settings);
  const note = (dropped: number) => `[... ${dropped} characters dropped${where} ...]`;
  const cut = cutTexts(
    value,
    (longer, room) => cutText(longer, { ...settings, max_chars: room }, note),
    (json) => fits(json, settings),
  );
  if (cut !== undefined) return cut;
  const wrapped = (inner: string, place: string) =>
    `{"truncated":${JSON.stringify(`${text.length} characters were too many${place}`)},"value":${inner}}`;
  // What says where the rest is counts as well: a bound is a bound.
  const place = fits(wrapped('""', where), settings) ? where : "";
  const inner = shrinkJson(value, (candidate) => fits(wrapped(candidate, place), settings), settings.max_chars);
  return { truncated: `${text.length} characters were too many${place}`, value: inner };
}

/** A note with the place of the whole text, or without it where that is too long for the bounds. */
function firstThatFits(settings: Settings, where: string, note: (place: string) => string): string {
  return fits(note(where), settings) ? note(where) : note("");
}

/** The bounds hold for all texts of a response together: where they are too much, each has its share. */
function capResponse(given: JsonObject, settings: Settings): JsonObject {
  const texts: string[] = [];
  const response = mapResponseTexts(given, (text) => {
    const clean = settings.redactor.text(wellFormed(text)).text;
    texts.push(clean);
    return clean;
  });
  const total = measure(texts, settings);
  if (total.most <= 1) return response;
  return mapResponseTexts(response, (text) => {
    const share = shareOf(text, settings, total);
    return fits(text, share) ? text : cutText(text, share, (n) => `[... ${n} characters dropped ...]`);
  });
}

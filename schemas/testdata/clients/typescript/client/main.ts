import type { components } from "./schema.d.ts";

type Message = components["schemas"]["Message"];

/** What a message answers with, or the texts of its errors. */
export function shown(message: Message): string[] {
  const where = message.domain?.title ?? "";
  const errors = (message.errors ?? []).map((e) => (e.args ?? []).reduce((text, arg, i) => text.replaceAll(`%arg${i}%`, arg), e.message));
  const values = (message.results?.variables ?? []).map((v) => `${where} ${v.key} = ${String(v.value)} (${v.source}, ${message.version})`);
  return [...values, ...errors];
}

// The page's words in three languages, and how they are filled in.
import en from "./words/en.js";
import ja from "./words/ja.js";
import zh from "./words/zh.js";

export const WORDS = { en, zh, ja };

/** A sentence with its {places} filled in. */
export const fill = (text, facts) => (text || "").replace(/\{(\w+)\}/g, (whole, name) => facts?.[name] ?? whole);

/** What the server refused, in the page's language; its own words where it has none. */
export function refusal(w, lang, said) {
  const facts = Object.fromEntries(Object.entries(said.facts || {}).map(([key, value]) =>
    [key, value && typeof value === "object" ? value[lang] || value.en : value]));
  const text = w.refused[said.code] || w.refused[`status_${said.status}`];
  return text ? fill(text, { ...facts, detail: said.detail }) : said.detail;
}

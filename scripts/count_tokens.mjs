// Write how many tokens of o200k each text of some files has: `node scripts/count_tokens.mjs FILE.json …`
// Each file is a list of objects with a `text`; the count goes beside it. Needs `npm install gpt-tokenizer` somewhere
// that node finds it (NODE_PATH does not count for modules: run it from there, or link it). Only the tests' data is
// made with it, once; nothing of it runs with holdfast.
import { readFileSync, writeFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";

const plain = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
for (const file of process.argv.slice(2)) {
  const texts = JSON.parse(readFileSync(file, "utf8"));
  const counted = texts.map((one) => ({ ...one, o200k: encode(one.text, plain).length }));
  writeFileSync(file, JSON.stringify(counted, null, 1) + "\n");
}

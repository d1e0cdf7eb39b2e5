/** Words of a command as a shell reads them: quotes, backslashes and continued lines; no variables. */

/** Undefined: a quote is not closed. */
export function shellWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  const text = command.replace(/\\\r?\n/g, ' ');
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (quote !== '') {
      if (sign === quote) quote = '';
      else if (sign === '\\' && quote === '"' && /["\\$`]/.test(text[at + 1] ?? '')) word += text[++at]!;
      else word += sign;
    } else if (sign === "'" || sign === '"') {
      quote = sign;
      word ??= '';
    } else if (sign === '\\') word = (word ?? '') + (text[++at] ?? '');
    else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + sign;
  }
  if (quote !== '') return undefined;
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * `--a b --c=d` by name; a flag that is given twice has its last value. With `always`, every flag takes the next word, also one
 * that begins like a flag.
 */
export function flagsOf(words: readonly string[], always = false): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const [, name, value] = /^--([\w-]+)(?:=(.*))?$/s.exec(words[at]!) ?? [];
    if (name === undefined) continue;
    const next = words[at + 1];
    if (value !== undefined) flags.set(name, value);
    else if (next !== undefined && (always || !next.startsWith('--'))) {
      flags.set(name, next);
      at += 1;
    } else flags.set(name, 'true');
  }
  return flags;
}

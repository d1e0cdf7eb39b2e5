/**
 * Finds keys that a JSON text holds twice. JSON.parse keeps the last one and says nothing, so the keys of the text
 * are counted against the keys of the value; only when the counts differ is the text read again, key by key.
 */

/** Expects text that JSON.parse has accepted and what it made of it. */
export function hasDuplicateKeys(text: string, value: unknown): boolean {
  return keysOfText(text) !== keysOfValue(value);
}

/** `duplicate field "spec.containers[0].name"` for every repeated key, in the order of the text. */
export function duplicateJsonKeys(text: string): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const reader = new KeyReader(text, (path) => {
    if (seen.has(path)) return;
    seen.add(path);
    found.push(`duplicate field "${path}"`);
  });
  reader.value('');
  return found;
}

// ---------------------------------------------------------------------------------------------------

const BACKSLASH = 92;
const COLON = 58;

function keysOfText(text: string): number {
  let keys = 0;
  let at = text.indexOf('"');
  while (at >= 0) {
    let end = text.indexOf('"', at + 1);
    while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    let next = end + 1;
    let code = text.charCodeAt(next);
    while (code === 32 || code === 10 || code === 9 || code === 13) code = text.charCodeAt(++next);
    if (code === COLON) keys++;
    at = text.indexOf('"', next);
  }
  return keys;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 0;
  for (let at = quote - 1; text.charCodeAt(at) === BACKSLASH; at--) backslashes++;
  return backslashes % 2 === 1;
}

/** A stack of its own: a body may nest deeper than the machine's. */
function keysOfValue(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  const open: object[] = [value];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) {
      for (const item of node) if (typeof item === 'object' && item !== null) open.push(item);
      continue;
    }
    for (const key in node) {
      keys++;
      const child = (node as Record<string, unknown>)[key];
      if (typeof child === 'object' && child !== null) open.push(child);
    }
  }
  return keys;
}

/** Walks well-formed JSON text and reports the path of every key that its object already had. */
class KeyReader {
  #at = 0;
  readonly #text: string;
  readonly #report: (path: string) => void;

  constructor(text: string, report: (path: string) => void) {
    this.#text = text;
    this.#report = report;
  }

  value(path: string): void {
    this.#space();
    const char = this.#text[this.#at];
    if (char === '{') this.#object(path);
    else if (char === '[') this.#array(path);
    else if (char === '"') this.#string();
    else while (this.#at < this.#text.length && !',]} \n\r\t'.includes(this.#text[this.#at]!)) this.#at++;
    this.#space();
  }

  #object(path: string): void {
    const keys = new Set<string>();
    this.#at++;
    this.#space();
    while (this.#text[this.#at] !== '}') {
      const key = this.#string();
      const keyPath = path === '' ? key : `${path}.${key}`;
      if (keys.has(key)) this.#report(keyPath);
      keys.add(key);
      this.#space();
      this.#at++; // the colon
      this.value(keyPath);
      if (this.#text[this.#at] === ',') this.#at++;
      this.#space();
    }
    this.#at++;
  }

  #array(path: string): void {
    this.#at++;
    this.#space();
    for (let index = 0; this.#text[this.#at] !== ']'; index++) {
      this.value(`${path}[${index}]`);
      if (this.#text[this.#at] === ',') this.#at++;
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    do {
      this.#at = this.#text.indexOf('"', this.#at + 1);
    } while (isEscaped(this.#text, this.#at));
    this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #space(): void {
    while (' \n\r\t'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }
}

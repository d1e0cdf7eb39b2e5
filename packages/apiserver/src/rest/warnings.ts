/**
 * The warnings of one answer: each sent once, and together short enough for headers. When they grow too long, each is
 * truncated, and later ones are dropped, as on a real server.
 */

export class Warnings {
  readonly #all = new Set<string>();
  #shown: string[] = [];
  #length = 0;
  #cutting = false;

  get texts(): readonly string[] {
    return this.#shown;
  }

  add(text: string): void {
    if (text === '' || (this.#cutting && this.#length >= MAX_TOTAL)) return;
    if (this.#all.has(text)) return;
    this.#all.add(text);
    if (this.#cutting || this.#length + lengthOf(text) <= MAX_TOTAL) {
      this.#show(text);
      return;
    }
    this.#cutting = true;
    this.#length = 0;
    this.#shown = [];
    for (const each of this.#all) this.#show(each);
  }

  #show(text: string): void {
    const shown = this.#cutting && lengthOf(text) > MAX_ITEM ? [...text].slice(0, MAX_ITEM).join('') : text;
    this.#shown.push(shown);
    this.#length += lengthOf(shown);
  }
}

// ---------------------------------------------------------------------------------------------------

/** In characters. */
const MAX_TOTAL = 4096;
const MAX_ITEM = 256;

function lengthOf(text: string): number {
  return text.length <= MAX_ITEM ? text.length : [...text].length;
}

/** HTML that cannot be broken by what is put into it: everything is escaped unless it was made here. */

export interface Html {
  readonly html: string;
}

type Value = string | number | Html | null | undefined | readonly Value[];

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: parts.reduce((text, part, index) => text + shown(values[index - 1]) + part) };
}

// ---------------------------------------------------------------------------------------------------------------

function shown(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  if ('html' in value) return value.html;
  return value.map(shown).join('');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

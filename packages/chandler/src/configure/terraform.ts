/** Parts of files for Terraform. */

export function hclText(text: string): string {
  return escaped(JSON.stringify(text));
}

/** A value as an expression: JSON is one, but for what begins a template. */
export function hclJson(value: unknown): readonly string[] {
  return escaped(JSON.stringify(value, undefined, 2)).split('\n');
}

export function block(head: string, lines: readonly string[]): readonly string[] {
  return [`${head} {`, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '}'];
}

/** A file of blocks, with an empty line between two. */
export function terraformText(parts: readonly (string | readonly string[])[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : `${part.join('\n')}\n`)).join('\n');
}

// ---------------------------------------------------------------------------------------------------------------

function escaped(json: string): string {
  return json.replaceAll('${', '$${').replaceAll('%{', '%%{');
}

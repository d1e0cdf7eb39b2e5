/** Texts as literals of the files that `configure` writes. */

/** Of Terraform. */
export function hclText(text: string): string {
  return JSON.stringify(text).replaceAll('${', '$${').replaceAll('%{', '%%{');
}

/** Of Bicep. */
export function bicepText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('${', '\\${')}'`;
}

/** Of YAML, in double quotes, which JSON has as well. */
export function yamlText(text: string): string {
  return JSON.stringify(text);
}

/** The name of a value in Terraform and Bicep: `kubeletIdentity` becomes `kubelet_identity`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The first lines of every file. */
export function header(mark: string, lines: readonly string[]): string {
  return `${lines.map((line) => `${mark} ${line}`.trimEnd()).join('\n')}\n`;
}

/** Texts as literals of the files that `configure` writes. */

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

const WRITTEN = 'written by "chandler configure ';

/** Whether the first lines say that `configure` wrote the file. */
export function isWritten(text: string): boolean {
  return text.split('\n', 3).some((line) => line.includes(WRITTEN));
}

/** The first lines of every file. One of them says that it was written by "chandler configure …". */
export function header(mark: string, lines: readonly string[]): string {
  return `${lines.map((line) => `${mark} ${line}`.trimEnd()).join('\n')}\n`;
}

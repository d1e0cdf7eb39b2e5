/**
 * Keeps apart what Azure says about the extension that makes a node and about others on the same VM (billing, monitoring,
 * antivirus, scripts of policies): the failure of another one is not that of the bootstrap.
 */

/** The part about the extension that makes a node; all of it where none is named, nothing where only others are. */
export function ofNodeExtension(text: string): string | undefined {
  const named = [...text.matchAll(NAMED)].map((match, index, all) => ({
    isOurs: isOurs(match[1]!, match[2]),
    from: match.index,
    to: all[index + 1]?.index,
  }));
  if (named.every(({ isOurs }) => isOurs)) return text;
  const ours = named.filter(({ isOurs }) => isOurs);
  return ours.length === 0 ? undefined : ours.map(({ from, to }) => text.slice(from, to)).join('\n');
}

// ---------------------------------------------------------------------------------------------------

/** As Azure names the extension of a failure, with its type or without. A log may speak of extensions in other words. */
const NAMED =
  /(?:failure when processing extension|Provisioning of VM extension|failed to process(?:ing)? (?:VM )?extension|VM extension with name) \\*["']([^"'\\]{1,128})\\*["'](?: \(publisher \\*["'][^"'\\]{1,128}\\*["'] and type \\*["']([^"'\\]{1,128})\\*["']\))?/gi;

/** A VM has at most one extension of this type; the type may not be told. */
function isOurs(name: string, type: string | undefined): boolean {
  return type === undefined ? /CSE|(?:^|[-_.])cse|CustomScript/.test(name) : /^CustomScript/i.test(type);
}

/** Which permission Azure says that the caller lacks. */

export interface MissingPermission {
  readonly action: string;
  /** The ID of a resource, a group or a subscription. */
  readonly scope: string;
}

/** Codes of Azure for it. A policy, a deny assignment or a disabled subscription has others. */
export const LACKS_PERMISSION: ReadonlySet<string> = new Set([
  'AuthorizationFailed',
  'LinkedAuthorizationFailed',
]);

/** From the sentence of Azure; undefined if it names none. */
export function missingPermission(text: string): MissingPermission | undefined {
  const named =
    /perform action '([^']+)' over scope '([^']+)'/.exec(text) ??
    /perform action(?:\(s\))? '([^']+)' on the linked scope(?:\(s\))? '([^']+)'/.exec(text);
  return named === null ? undefined : { action: named[1]!, scope: named[2]! };
}

/** `GET microsoft.compute/virtualmachines/extensions`: calls that need the same permission. */
export function callName(method: string, url: string): string {
  const path = url.split('?')[0]!.toLowerCase();
  const [namespace = '', ...segments] = path.split('/providers/').at(-1)!.split('/');
  return `${method} ${[namespace, ...segments.filter((_, at) => at % 2 === 0)].join('/')}`;
}

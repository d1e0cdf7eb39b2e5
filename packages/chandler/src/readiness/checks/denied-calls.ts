/** Calls of the controller that the cloud has denied, as conditions and events of a live cluster say it. */
import type { Inputs } from '../inputs/inputs.ts';
import type { Evidence } from '../model/finding.ts';
import { itemsAt, textAt } from '../model/tree.ts';
import { seen } from './judgements.ts';
import { condition, liveObjects } from './live-objects.ts';

/** Kinds whose conditions tell what was denied. */
export const CALLING_KINDS = ['EC2NodeClass', 'AKSNodeClass', 'NodeClaim'] as const;

export interface DeniedCall {
  /** What the call was for. */
  readonly object: { readonly kind: string; readonly name: string };
  /** `The condition Launched`, `An event`. */
  readonly said: string;
  readonly message: string;
  readonly evidence: Evidence;
}

export function isDenied(message: string): boolean {
  return DENIED.test(message);
}

/** Conditions first. */
export function deniedCalls(inputs: Inputs): readonly DeniedCall[] {
  const conditions = liveObjects(inputs, ...CALLING_KINDS).flatMap((object) =>
    itemsAt(object.tree, 'status', 'conditions').flatMap((each) => {
      const [type = '', message = ''] = [textAt(each, 'type'), textAt(each, 'message')];
      return textAt(each, 'status') === 'True' || !isDenied(message)
        ? []
        : [{ object, said: `The condition ${type}`, message, evidence: condition(object, type)!.evidence }];
    }),
  );
  const events = liveObjects(inputs, 'Event').flatMap((event) => {
    const kind = textAt(event.tree, 'involvedObject', 'kind') ?? '';
    const message = textAt(event.tree, 'message') ?? '';
    if (!EVENT_KINDS.has(kind) || !isDenied(message)) return [];
    const object = { kind, name: textAt(event.tree, 'involvedObject', 'name') ?? '' };
    return [{ object, said: 'An event', message, evidence: seen(event, 'message') }];
  });
  return [...conditions, ...events];
}

// ---------------------------------------------------------------------------------------------------------------

const DENIED =
  /AccessDenied|UnauthorizedOperation|AuthFailure|WebIdentityErr|InvalidIdentityToken|AuthorizationFailed|not authorized to perform/;
const EVENT_KINDS: ReadonlySet<string> = new Set([...CALLING_KINDS, 'NodePool']);

/**
 * Finds writes that would do harm if they arrived late, after another replica took over: those without
 * preconditions. It is a check against programming errors, so it throws.
 */
import type { Written } from './written.ts';

export class UnconditionalWrite extends Error {
  constructor(path: string, missing: string) {
    super(`write to ${path} would be harmful if it came late: ${missing}`);
    this.name = 'UnconditionalWrite';
  }
}

export function assertConditional(
  verb: Written['verb'],
  path: string,
  body: object | string | undefined,
  contentType: string | undefined,
): void {
  const parsed = (typeof body === 'string' ? JSON.parse(body) : body) as Partial<Body> | undefined;
  const missing = MISSING[verb](parsed ?? {}, contentType ?? '');
  if (missing !== undefined) throw new UnconditionalWrite(path, missing);
}

/** The same for calls that go to a subresource with POST. */
export function assertConditionalCall(subresource: string, path: string, body: object): void {
  const missing = MISSING_IN_CALL[subresource]?.(body);
  if (missing !== undefined) throw new UnconditionalWrite(path, missing);
}

// ------------------------------------------------------------------------------------------------

interface Body {
  metadata: { name?: string; generateName?: string; resourceVersion?: string; uid?: string };
  preconditions: { uid?: string; resourceVersion?: string };
  deleteOptions: { preconditions?: { uid?: string } };
}

/** What a name stands for may have changed: a StatefulSet makes its pods again under the same one. */
const MISSING_IN_CALL: Readonly<Record<string, ((body: Partial<Body>) => string | undefined) | undefined>> = {
  eviction: ({ deleteOptions }) =>
    deleteOptions?.preconditions?.uid ? undefined : 'an eviction needs deleteOptions.preconditions.uid',
  binding: ({ metadata }) => (metadata?.uid ? undefined : 'a binding needs metadata.uid'),
};

const MISSING: Record<Written['verb'], (body: Partial<Body>, contentType: string) => string | undefined> = {
  create: ({ metadata }) =>
    metadata?.name ? undefined : 'a create needs a name of its own, not generateName',
  update: ({ metadata }) =>
    metadata?.resourceVersion ? undefined : 'an update needs metadata.resourceVersion',
  delete: ({ preconditions }) => (preconditions?.uid ? undefined : 'a delete needs preconditions.uid'),
  patch(body, contentType) {
    if (Array.isArray(body))
      return testsVersion(body) ? undefined : 'a JSON patch needs a test of metadata.resourceVersion';
    return body.metadata?.resourceVersion
      ? undefined
      : `a patch (${contentType}) needs metadata.resourceVersion`;
  },
};

/** A uid alone would not do: it says which object, not which decision it was based on. */
function testsVersion(operations: readonly { op?: string; path?: string }[]): boolean {
  return operations.some(({ op, path }) => op === 'test' && path === '/metadata/resourceVersion');
}

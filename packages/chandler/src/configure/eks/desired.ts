/** A resource of AWS whose ID is known before it exists: it is read as the journal would read it. */
import type { DesiredResource, Fields, Found, RecordedResource } from '../resource.ts';

export interface Wanted {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly why: string;
  readonly isOverwrittenByFiles?: boolean;
  readonly id: string;
  readonly fields: Fields;
}

export function desired(
  { id, fields, ...about }: Wanted,
  recorded: Pick<RecordedResource, 'read'>,
  write: (found: Found | undefined, signal: AbortSignal) => Promise<unknown>,
): DesiredResource {
  return {
    ...about,
    id: () => id,
    desired: () => fields,
    read: (_, signal) => recorded.read(signal),
    async write(_, __, found, signal) {
      await write(found, signal);
    },
  };
}

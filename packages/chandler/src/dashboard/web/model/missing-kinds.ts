/** What is said of kinds that could not be read: those that are not shown, and those that are shown as they were. Pure. */
import type { Missing } from '../../wire.ts';

export interface MissingGroup {
  readonly title: 'Not shown' | 'Not up to date';
  readonly kinds: readonly Missing[];
}

export function missingGroups(missing: readonly Missing[]): readonly MissingGroup[] {
  const isStale = ({ reason }: Missing) => reason === 'failed';
  const groups: readonly MissingGroup[] = [
    { title: 'Not shown', kinds: missing.filter((kind) => !isStale(kind)) },
    { title: 'Not up to date', kinds: missing.filter(isStale) },
  ];
  return groups.filter(({ kinds }) => kinds.length > 0);
}

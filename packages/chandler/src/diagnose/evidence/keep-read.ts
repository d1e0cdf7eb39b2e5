/** Adds what only the maker of a dump could read outside the cluster: the cloud, the bootstrap token. */
import type { GatherContext } from './gather-context.ts';

/** After the rest is gathered: of records about a claim, those of the claims of this question. */
export function keepRead({ reader, recorder }: GatherContext): void {
  const claims = new Set(
    recorder
      .evidence()
      .all('nodeClaim')
      .map(({ name }) => name),
  );
  for (const record of reader.kept.records) {
    if ('claim' in record && !claims.has(record.claim ?? '')) continue;
    recorder.add(record);
  }
  for (const { kind, what, ...unseen } of reader.kept.unread) recorder.addUnread(kind, what, unseen);
}

/** How far a command of an earlier process came, as the cluster shows it. */
import type { ControllerContext } from '../context.ts';
import type { CommandRecord } from './command-record.ts';
import { isDisrupted } from './marks.ts';
import { stayingClaims } from './running-command.ts';

/** More than annotations were written: a taint, a replacement or a deletion. Until then its nodes could get pods. */
export function hasBegun({ stores, cluster }: ControllerContext, record: CommandRecord): boolean {
  const staying = stayingClaims(stores, record);
  return (
    staying.length < record.candidates.length ||
    staying.some(({ candidate }) => {
      const node = cluster.nodeOfClaim(candidate.claim)?.node;
      return node !== undefined && isDisrupted(node);
    }) ||
    record.replacements.some(({ metadata }) => stores.claims.store.get({ name: metadata.name }) !== undefined)
  );
}

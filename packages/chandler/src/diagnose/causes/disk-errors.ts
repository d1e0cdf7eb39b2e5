/** Errors of disks at the end of the log of a node that has registered: of its own disk, or of a volume. */
import { BOOT_COMPLETED, isOfNode, ownDisks } from '../../bootstrap/index.ts';
import {
  ageBeforeUnready,
  type EvidenceSet,
  isAtEnd,
  isFollowedBy,
  isTrue,
  type LogHit,
  lastFound,
} from '../../causes/index.ts';

export interface DiskLine extends LogHit {
  /** The node was Ready for long afterwards. */
  readonly isOld: boolean;
}

/** The last line, at the end of the log of a node that is not Ready, that is about a disk of the node, or of a volume. */
export function diskLineOfUnready(
  evidence: EvidenceSet,
  says: RegExp,
  of: 'node' | 'volume',
): DiskLine | undefined {
  const unready = evidence.all('node').filter((node) => !isTrue(node, 'Ready'));
  for (const log of evidence.all('serialLog')) {
    const node = unready.find(({ claim }) => claim === log.claim);
    if (node === undefined) continue;
    const own = ownDisks(log.text);
    const isWanted = (line: string) => says.test(line) && isOfNode(own, line) === (of === 'node');
    const line = lastFound(log.text, (each) => isWanted(each) || undefined)?.line;
    if (line === undefined || !isAtEnd(log.text, line) || isFollowedBy(log.text, line, BOOT_COMPLETED))
      continue;
    return { log, line, isOld: ageBeforeUnready(node, log.text, line) === 'old' };
  }
  return undefined;
}

/**
 * Freezes from a ConfigMap, of all NodePools or of one: until when, by whom and why. What cannot be read freezes, and says what
 * is wrong: somebody wanted disruption to stop.
 */
import { type Freeze, freezeUntil } from './pool-rules.ts';

/** In the namespace of the controller. */
export const FREEZE_CONFIG_MAP = 'chandler-freeze';

interface FreezeSource {
  readonly metadata: { readonly name?: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Keys are `freeze` (`true`, or a time), `by` and `reason`; those of one NodePool have its name before them: `spot.freeze`.
 * Every NodePool at most once, and all of them first.
 */
export function freezesOf(source: FreezeSource | undefined): readonly Freeze[] {
  const data = source?.data ?? {};
  const entries = Object.entries(data).map(([key, value]) => {
    const at = key.lastIndexOf('.');
    return { key, value, nodePool: at < 0 ? '' : key.slice(0, at), field: key.slice(at + 1) };
  });
  const byPool = Map.groupBy(entries, ({ nodePool }) => nodePool);
  const { namespace, name = '' } = source?.metadata ?? {};
  const origin = `ConfigMap ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return [...byPool]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([nodePool, own]): readonly Freeze[] => {
      const textOf = (field: string) => own.find((entry) => entry.field === field)?.value;
      const pool = nodePool === '' ? {} : { nodePool };
      const wrong = (key: string, value: string, message: string): readonly Freeze[] => [
        { ...pool, origin, problem: problemText({ key, value }, message) },
      ];
      const unknown = own.find(({ field }) => !FIELDS.has(field));
      const meant = textOf('freeze') === undefined ? {} : pool;
      // Which NodePool was meant is not known without its freeze: `freeze.spot` is the wrong way round.
      if (unknown !== undefined)
        return [
          {
            ...meant,
            origin,
            problem: problemText(unknown, 'is not a key of a freeze; use freeze, by and reason'),
          },
        ];
      const text = textOf('freeze');
      // What is left of a freeze that was lifted is none.
      if (text === undefined || text === 'false') return [];
      const until = freezeUntil(text);
      if (until === undefined)
        return wrong(own.find(({ field }) => field === 'freeze')!.key, text, FREEZE_VALUES);
      const [by, why] = [textOf('by'), textOf('reason')];
      return [
        {
          ...pool,
          origin,
          ...until,
          ...(by === undefined ? {} : { by }),
          ...(why === undefined ? {} : { why }),
        },
      ];
    });
}

// ---------------------------------------------------------------------------------------------------

const FIELDS: ReadonlySet<string> = new Set(['freeze', 'by', 'reason']);
function problemText(
  { key, value }: { readonly key: string; readonly value: string },
  message: string,
): string {
  return `data[${key}]: "${value}": ${message}`;
}

const FREEZE_VALUES = 'must be "true", "false" or a time such as 2026-06-02T12:00:00Z';

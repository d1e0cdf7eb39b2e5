/** What could be saved now, what keeps the rest, what was done, and when budgets permit what. */
import type { BudgetLine, Move, SavingsAnswer } from '../../wire.ts';
import { useAnswer, useRoute, useServerNow, useStore } from '../app-context.ts';
import { frozenUntilMs } from '../model/budgets.ts';
import { hasWords, wordsOf } from '../model/choose-nodes.ts';
import type { Table } from '../model/csv.ts';
import { clockTime, count, duration, fullTime, price, pricePerHour, pricePerMonth } from '../model/format.ts';
import { plannedSavings } from '../model/planned-savings.ts';
import { BudgetRule } from '../parts/budget-rule.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Subject } from '../parts/link.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Time, TimedText } from '../parts/time.tsx';

const SHOWN_NODES = 6;
const MAX_NODES = 200;
const HOUR_MS = 3_600_000;

export function Savings() {
  const answer = useAnswer<SavingsAnswer>('savings', 'nodes', 'settings');
  return <Answered answer={answer}>{(value) => <Parts answer={value} />}</Answered>;
}

function Parts({ answer }: { readonly answer: SavingsAnswer }) {
  const { q } = useRoute();
  const { unread = [], notes = [] } = answer;
  const nowMs = useServerNow(5000);
  const words = wordsOf(q);
  const now = answer.now.filter((move) => hasWords(words, move.method, move.text, ...move.nodes));
  const keeping = answer.keeping.filter(({ code, text, nodes }) =>
    hasWords(words, code, text, ...nodes.flatMap((node) => [node.name, node.text])),
  );
  const done = answer.done.filter((move) =>
    hasWords(words, move.method, move.text, move.outcome, ...move.nodes),
  );
  const store = useStore('nodes');
  const planned = plannedSavings(answer.now, (name) => (store.nodes.get(name)?.staying.length ?? 0) > 0);
  return (
    <>
      <dl class="summary" aria-label="Savings">
        <div class="figure">
          <dt>Could be saved now</dt>
          <dd class="figure-value">{pricePerHour(planned.perHour)}</dd>
          <dd class="soft">
            {pricePerMonth(planned.perHour)}
            {planned.deniedPerHour > 0
              ? ` · not in it: ${pricePerHour(planned.deniedPerHour)} where the controller said otherwise`
              : ''}
          </dd>
        </div>
        <div class="figure">
          <dt>Saved in the last day</dt>
          <dd class="figure-value">{pricePerHour(savedBy(answer.done))}</dd>
          <dd class="soft">by {count(answer.done.filter(hasSucceeded).length, 'command')}</dd>
        </div>
        <div class="figure">
          <dt>Price</dt>
          <dd class="figure-value">{pricePerHour(answer.pricePerHour)}</dd>
          <dd class="soft">{pricePerMonth(answer.pricePerHour)}</dd>
        </div>
        <div class="figure">
          <dt>Lower bound</dt>
          <dd class="figure-value">{pricePerHour(answer.lowerBoundPerHour)}</dd>
          <dd class="soft">{answer.lowerBoundPerHour === null ? 'not known' : 'no plan can be cheaper'}</dd>
        </div>
      </dl>
      <p class="soft">
        Planned at <Time ms={answer.atMs} />.
      </p>
      {unread.length > 0 && (
        <p class="notice" role="status">
          The plan is without {unread.join(', ')}, which could not be read: the controller may do something
          else.
        </p>
      )}
      <section class="card">
        <h2>
          Disruption now <ExportButtons name="savings-now" table={() => movesTable(now)} />
        </h2>
        {now.length === 0 ? (
          <Empty title="Nothing would be disrupted now" />
        ) : (
          <Moves moves={now} label="Commands now" />
        )}
        {notes.length > 0 && (
          <details>
            <summary>What the plan assumes</summary>
            <ul>
              {notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          </details>
        )}
      </section>
      <section class="card">
        <h2>
          What keeps the other nodes{' '}
          <ExportButtons name="savings-keeping" table={() => keepingTable(keeping)} />
        </h2>
        <Keeping keeping={keeping} />
      </section>
      <section class="card">
        <h2>Budgets</h2>
        {answer.budgets.length === 0 ? (
          <Empty title="No NodePool has a budget" />
        ) : (
          <Budgets budgets={answer.budgets} freezes={answer.freezes} nowMs={nowMs} />
        )}
      </section>
      <section class="card">
        <h2>
          Disruption of the last day <ExportButtons name="savings-done" table={() => movesTable(done)} />
        </h2>
        {done.length === 0 ? (
          <Empty title="Nothing was disrupted in the last day" />
        ) : (
          <Moves moves={done} label="Commands of the last day" nowMs={nowMs} />
        )}
      </section>
    </>
  );
}

type DoneMove = Move & { readonly atMs?: number; readonly outcome?: string };

function Moves({
  moves,
  label,
  nowMs,
}: {
  readonly moves: readonly DoneMove[];
  readonly label: string;
  readonly nowMs?: number;
}) {
  return (
    <DataTable
      label={label}
      headings={[
        ...(nowMs === undefined ? [] : ['When']),
        'Method',
        'Nodes',
        'Replaced by',
        { number: 'Pods' },
        { number: 'Saves $/h' },
        nowMs === undefined ? 'Why' : 'Outcome',
      ]}
    >
      {moves.map((move, at) => (
        <tr key={at}>
          {nowMs === undefined ? null : <td>{duration(nowMs - (move.atMs ?? nowMs))} ago</td>}
          <td>{move.method}</td>
          <td>
            <Nodes names={move.nodes} />
          </td>
          <td>{move.replacements.join(', ') || '–'}</td>
          <td class="number">{move.pods ?? '–'}</td>
          <td class="number">{price(move.savedPerHour)}</td>
          <td class="wide">
            <TimedText text={move.outcome ?? move.text} />
            {nowMs === undefined ? <Controller names={move.nodes} /> : null}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** What the controller said lately about nodes that the plan would take: it may not do what is planned here. */
function Controller({ names }: { readonly names: readonly string[] }) {
  const store = useStore('nodes');
  const said = names.flatMap((name) => {
    const [first] = store.nodes.get(name)?.staying ?? [];
    return first === undefined ? [] : [{ name, text: first.text }];
  });
  return (
    <>
      {said.slice(0, SHOWN_NODES).map(({ name, text }) => (
        <p class="soft" key={name}>
          The controller said of {name}: <TimedText text={text} />
        </p>
      ))}
      {said.length > 0 ? (
        <p class="soft">
          The controller uses the prices and the capacity of the cloud; this page uses the built-in price
          list.
        </p>
      ) : null}
    </>
  );
}

function hasSucceeded({ outcome }: { readonly outcome: string }): boolean {
  return outcome === 'succeeded' || outcome.startsWith('succeeded:');
}

function savedBy(done: SavingsAnswer['done']): number {
  return done.filter(hasSucceeded).reduce((total, { savedPerHour }) => total + (savedPerHour ?? 0), 0);
}

function Nodes({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      {names.slice(0, SHOWN_NODES).map((name, at) => (
        <span key={name}>
          {at === 0 ? '' : ', '}
          <Subject subject={`Node/${name}`}>{name}</Subject>
        </span>
      ))}
      {names.length > SHOWN_NODES ? <span class="soft"> and {names.length - SHOWN_NODES} more</span> : null}
    </>
  );
}

function Keeping({ keeping }: { readonly keeping: SavingsAnswer['keeping'] }) {
  if (keeping.length === 0) return <Empty title="Nothing keeps a node" />;
  const most = Math.max(0.001, ...keeping.map(({ pricePerHour: cost }) => cost ?? 0));
  return (
    <ul class="plain keeping">
      {keeping.map(({ code, text, nodes, pricePerHour: cost }) => (
        <li key={code}>
          <p>
            <code>{code}</code> {text === null ? 'each node has its own reason' : <TimedText text={text} />}
          </p>
          <span class="keeping-bar" aria-hidden="true">
            <span style={{ width: `${(100 * (cost ?? 0)) / most}%` }} />
          </span>
          <p class="soft">
            {count(nodes.length, 'node')}
            {cost === null || cost === 0 ? '' : ` · ${pricePerHour(cost)} · ${pricePerMonth(cost)}`}
          </p>
          <details>
            <summary>Nodes kept by {code}</summary>
            {text === null ? (
              <ul class="plain">
                {nodes.slice(0, MAX_NODES).map((node) => (
                  <li key={node.name}>
                    <Subject subject={`Node/${node.name}`}>{node.name}</Subject>:{' '}
                    <TimedText text={node.text} />
                  </li>
                ))}
              </ul>
            ) : (
              <ul class="names">
                {nodes.slice(0, MAX_NODES).map(({ name }) => (
                  <li key={name}>
                    <Subject subject={`Node/${name}`}>{name}</Subject>
                  </li>
                ))}
              </ul>
            )}
            {nodes.length > MAX_NODES ? (
              <p class="soft">and {nodes.length - MAX_NODES} more; the CSV has all</p>
            ) : null}
          </details>
        </li>
      ))}
    </ul>
  );
}

/** The windows of each budget on a line of 48 hours, now in the middle. */
function Budgets({
  budgets,
  freezes,
  nowMs,
}: {
  readonly budgets: readonly BudgetLine[];
  readonly freezes: SavingsAnswer['freezes'];
  readonly nowMs: number;
}) {
  const [fromMs, toMs] = [nowMs - 24 * HOUR_MS, nowMs + 24 * HOUR_MS];
  const at = (ms: number) => (100 * (Math.min(toMs, Math.max(fromMs, ms)) - fromMs)) / (toMs - fromMs);
  const ticks = [-24, -18, -12, -6, 0, 6, 12, 18, 24].map((hours) => nowMs + hours * HOUR_MS);
  return (
    <div class="budgets">
      {budgets.map((budget, index) => (
        <div class="budget" key={index}>
          <p>
            <Subject subject={`NodePool/${budget.pool}`}>{budget.pool}</Subject>{' '}
            <BudgetRule budget={budget} />
            <span class="soft"> {permitText(budget, freezes)}</span>
          </p>
          <div class="windows">
            {budget.windows.map((window, each) => (
              <span
                key={each}
                class={budget.nodes === '0' ? 'window window-closed' : 'window'}
                style={{
                  left: `${at(window.fromMs)}%`,
                  width: `${Math.max(0.3, at(window.toMs) - at(window.fromMs))}%`,
                }}
              >
                <span class="hidden">
                  from {fullTime(window.fromMs)} to {fullTime(window.toMs)}
                </span>
              </span>
            ))}
            <Frozen untilMs={frozenUntilMs(budget.pool, freezes)} nowMs={nowMs} at={at} />
            <span class="now-line" style={{ left: '50%' }} />
          </div>
        </div>
      ))}
      <div class="ticks" aria-hidden="true">
        {ticks.map((ms) => (
          <span key={ms} style={{ left: `${at(ms)}%` }}>
            {ms === nowMs ? 'now' : clockTime(ms)}
          </span>
        ))}
      </div>
      <p class="soft">
        Green: the budget permits that many nodes at a time. Red: it permits none. Blue: frozen. Outside of
        its windows a budget does not apply; the smallest that applies counts.
      </p>
    </div>
  );
}

/** Over the windows: while a NodePool is frozen its budgets do not count. */
function Frozen({
  untilMs,
  nowMs,
  at,
}: {
  readonly untilMs: number | undefined;
  readonly nowMs: number;
  readonly at: (ms: number) => number;
}) {
  if (untilMs === undefined || untilMs <= nowMs) return null;
  const [from, to] = [at(nowMs), at(untilMs)];
  return (
    <span class="window window-frozen" style={{ left: `${from}%`, width: `${Math.max(0.3, to - from)}%` }}>
      <span class="hidden">
        {Number.isFinite(untilMs) ? `frozen until ${fullTime(untilMs)}` : 'frozen until it is lifted'}
      </span>
    </span>
  );
}

function permitText({ pool, isActive, allowedNow }: BudgetLine, freezes: SavingsAnswer['freezes']): string {
  if (!isActive) return 'does not apply now';
  if (frozenUntilMs(pool, freezes) !== undefined) return 'permits none now: frozen';
  if (allowedNow === null) return 'applies now';
  return `permits ${allowedNow === 0 ? 'none' : allowedNow} now`;
}

function movesTable(moves: readonly DoneMove[]): Table {
  return {
    columns: ['at', 'method', 'nodes', 'replacements', 'pods', 'savedPerHour', 'outcome', 'text'],
    rows: moves.map(({ atMs, method, nodes, replacements, pods, savedPerHour, outcome, text }) => [
      atMs === undefined ? null : new Date(atMs).toISOString(),
      method,
      nodes.join(' '),
      replacements.join(' '),
      pods,
      savedPerHour,
      outcome ?? null,
      text,
    ]),
  };
}

function keepingTable(keeping: SavingsAnswer['keeping']): Table {
  return {
    columns: ['code', 'node', 'text'],
    rows: keeping.flatMap(({ code, nodes }) => nodes.map(({ name, text }) => [code, name, text])),
  };
}

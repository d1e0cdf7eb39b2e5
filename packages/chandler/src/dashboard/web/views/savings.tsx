/** What could be saved now, what keeps the rest, what was done, and when budgets permit what. */
import type { BudgetLine, Move, SavingsAnswer } from '../../wire.ts';
import { useAnswer, useRoute, useServerNow } from '../app-context.ts';
import { hasWords, wordsOf } from '../model/choose-nodes.ts';
import type { Table } from '../model/csv.ts';
import { clockTime, count, duration, price, pricePerHour, pricePerMonth } from '../model/format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Subject } from '../parts/link.tsx';
import { Answered, Empty } from '../parts/states.tsx';

const SHOWN_NODES = 6;
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
  const keeping = answer.keeping.filter(({ code, text, nodes }) => hasWords(words, code, text, ...nodes));
  const done = answer.done.filter((move) =>
    hasWords(words, move.method, move.text, move.outcome, ...move.nodes),
  );
  const sum = answer.now.reduce((total, { savedPerHour }) => total + (savedPerHour ?? 0), 0);
  return (
    <>
      <dl class="summary" aria-label="Savings">
        <div class="figure">
          <dt>Could be saved now</dt>
          <dd class="figure-value">{pricePerHour(sum)}</dd>
          <dd class="soft">{pricePerMonth(sum)}</dd>
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
      {unread.length > 0 && (
        <p class="notice" role="status">
          The plan is without {unread.join(', ')}, which could not be read: the controller may do something
          else.
        </p>
      )}
      <section class="card">
        <h2>
          Now <ExportButtons name="savings-now" table={() => movesTable(now)} />
        </h2>
        {now.length === 0 ? (
          <Empty title="Nothing would be disrupted now" />
        ) : (
          <Moves moves={now} label="Moves now" />
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
          What keeps the rest <ExportButtons name="savings-keeping" table={() => keepingTable(keeping)} />
        </h2>
        <Keeping keeping={keeping} />
      </section>
      <section class="card">
        <h2>Budgets</h2>
        {answer.budgets.length === 0 ? (
          <Empty title="No NodePool has a budget" />
        ) : (
          <Budgets budgets={answer.budgets} nowMs={nowMs} />
        )}
      </section>
      <section class="card">
        <h2>
          Last day <ExportButtons name="savings-done" table={() => movesTable(done)} />
        </h2>
        {done.length === 0 ? (
          <Empty title="Nothing was disrupted in the last day" />
        ) : (
          <Moves moves={done} label="Moves of the last day" nowMs={nowMs} />
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
          <td class="wide">{move.outcome ?? move.text}</td>
        </tr>
      ))}
    </DataTable>
  );
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
            <code>{code}</code> {text}
          </p>
          <span class="keeping-bar" aria-hidden="true">
            <span style={{ width: `${(100 * (cost ?? 0)) / most}%` }} />
          </span>
          <p class="soft">
            {count(nodes.length, 'node')} · {pricePerHour(cost)} · {pricePerMonth(cost)}
          </p>
          <details>
            <summary>Nodes kept by {code}</summary>
            <Nodes names={nodes.slice(0, 200)} />
          </details>
        </li>
      ))}
    </ul>
  );
}

/** The windows of each budget on a line of 48 hours, now in the middle. */
function Budgets({ budgets, nowMs }: { readonly budgets: readonly BudgetLine[]; readonly nowMs: number }) {
  const [fromMs, toMs] = [nowMs - 24 * HOUR_MS, nowMs + 24 * HOUR_MS];
  const at = (ms: number) => (100 * (Math.min(toMs, Math.max(fromMs, ms)) - fromMs)) / (toMs - fromMs);
  const ticks = [-24, -18, -12, -6, 0, 6, 12, 18, 24].map((hours) => nowMs + hours * HOUR_MS);
  return (
    <div class="budgets">
      {budgets.map((budget, index) => (
        <div class="budget" key={index}>
          <p>
            <Subject subject={`NodePool/${budget.pool}`}>{budget.pool}</Subject> {budget.nodes} nodes
            {budget.reasons.length === 0 ? '' : ` for ${budget.reasons.join(', ')}`}
            <span class="soft"> {budget.allowedNow === null ? '' : `permits ${budget.allowedNow} now`}</span>
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
                  from {new Date(window.fromMs).toISOString()} to {new Date(window.toMs).toISOString()}
                </span>
              </span>
            ))}
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
    </div>
  );
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
    columns: ['code', 'text', 'nodes', 'pricePerHour'],
    rows: keeping.map(({ code, text, nodes, pricePerHour: cost }) => [code, text, nodes.join(' '), cost]),
  };
}

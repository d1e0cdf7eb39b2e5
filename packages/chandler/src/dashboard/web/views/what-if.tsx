/** Manifests in, a plan out: what the simulator would do. Nothing is changed. */
import { useEffect, useState } from 'preact/hooks';
import type { WhatIfAnswer, WireError } from '../../wire.ts';
import { errorText } from '../api.ts';
import { useApp } from '../app-context.ts';
import { count, price, pricePerHour, pricePerMonth } from '../model/format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';

/** An answer is about the text that was sent. */
type State =
  | 'nothing'
  | 'asking'
  | { readonly answer: WhatIfAnswer; readonly to: string }
  | { readonly error: WireError };

/** As it was when the view was left. */
let kept: { readonly text: string; readonly state: State } = { text: '', state: 'nothing' };

export function WhatIf() {
  const { connection } = useApp();
  const [text, setText] = useState(kept.text);
  const [state, setState] = useState<State>(kept.state);
  useEffect(() => {
    kept = { text, state: state === 'asking' ? 'nothing' : state };
  }, [text, state]);
  const ask = (event: Event) => {
    event.preventDefault();
    setState('asking');
    connection.api
      .post<WhatIfAnswer>('what-if', text, 'application/yaml')
      .then((answer) => setState({ answer, to: text }))
      .catch((error: unknown) => setState({ error: errorText(error) }));
  };
  const dropped = async (event: DragEvent) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    setText((await Promise.all(files.map((file) => file.text()))).join('\n---\n'));
  };
  useEffect(() => {
    // A file that is dropped beside the field would replace the page.
    const drop = (event: DragEvent) => void dropped(event);
    const over = (event: DragEvent) => event.preventDefault();
    window.addEventListener('drop', drop);
    window.addEventListener('dragover', over);
    return () => {
      window.removeEventListener('drop', drop);
      window.removeEventListener('dragover', over);
    };
  }, []);
  return (
    <>
      <form onSubmit={ask} class="what-if">
        <label for="manifests">
          Manifests: pods, workloads, NodePools. YAML or JSON; paste them, or drop files here. Nothing is
          changed.
        </label>
        <textarea
          id="manifests"
          spellcheck={false}
          rows={14}
          value={text}
          placeholder={EXAMPLE}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="toolbar">
          <button type="submit" class="primary" disabled={text.trim() === '' || state === 'asking'}>
            Simulate
          </button>
          <button type="button" onClick={() => setText(EXAMPLE)}>
            Use the example
          </button>
        </div>
      </form>
      <p class="hidden" role="status">
        {statusText(state)}
      </p>
      <div class="results">
        {typeof state === 'object' && 'answer' in state && state.to !== text ? (
          <p class="notice">The manifests have changed since this was simulated.</p>
        ) : null}
        <Result state={state} />
      </div>
    </>
  );
}

const EXAMPLE = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: example
spec:
  replicas: 30
  selector:
    matchLabels: { app: example }
  template:
    metadata:
      labels: { app: example }
    spec:
      containers:
        - name: main
          image: example
          resources:
            requests: { cpu: 500m, memory: 1Gi }
`;

/** For screen readers: the whole answer would be read out. */
function statusText(state: State): string {
  if (state === 'nothing') return '';
  if (state === 'asking') return 'Simulating';
  if ('error' in state) return 'The simulation failed';
  const { nodes, refused, problems } = state.answer;
  if (problems.length > 0) return count(problems.length, 'problem');
  const sum = (all: readonly { readonly count: number }[]) =>
    all.reduce((total, each) => total + each.count, 0);
  return `${count(sum(nodes), 'node')} to launch, ${count(sum(refused), 'pod')} refused`;
}

function Result({ state }: { readonly state: State }) {
  if (state === 'nothing') return <Empty title="Nothing was simulated yet" />;
  if (state === 'asking') return <Loading text="Simulating" />;
  if ('error' in state) return <Failed error={state.error} />;
  return <Plan answer={state.answer} />;
}

function Plan({ answer }: { readonly answer: WhatIfAnswer }) {
  const { nodes, refused, problems, notes = [], pendingBefore } = answer;
  const launched = nodes.reduce((sum, each) => sum + each.count, 0);
  // Manifests that cannot be read were not simulated.
  const isSimulated = problems.length === 0 || answer.pricePerHour !== null;
  return (
    <>
      {isSimulated ? <Figures answer={answer} launched={launched} /> : null}
      {pendingBefore.pods === 0 ? null : (
        <p class="notice">
          {count(pendingBefore.pods, 'pod')} of the cluster {pendingBefore.pods === 1 ? 'was' : 'were'}{' '}
          pending before, and {pendingBefore.pods === 1 ? 'is' : 'are'} not in these figures.
          {pendingBefore.refused === 0 ? '' : ` ${count(pendingBefore.refused, 'pod')} of them stay pending.`}
          {pendingBefore.nodes === 0
            ? ''
            : ` For them alone ${count(pendingBefore.nodes, 'node')} at ${pricePerHour(pendingBefore.pricePerHour)} would be launched.`}
        </p>
      )}
      {problems.length === 0 ? null : (
        <section class="card" role="alert">
          <h2>Problems in the manifests</h2>
          <ul>
            {problems.map((problem, at) => (
              <li key={at}>{problem}</li>
            ))}
          </ul>
        </section>
      )}
      {nodes.length === 0 ? null : <Launches answer={answer} />}
      {refused.length === 0 ? null : (
        <section class="card">
          <h2>
            Refused pods{' '}
            <ExportButtons
              name="what-if-refused"
              table={() => ({
                columns: ['workload', 'pods', 'text'],
                rows: refused.map(({ workload, count: pods, text }) => [workload, pods, text]),
              })}
            />
          </h2>
          <ul class="plain">
            {refused.map(({ workload, count: pods, text }, at) => (
              <li key={at}>
                <strong>{workload}</strong> ({count(pods, 'pod')}): {text}
              </li>
            ))}
          </ul>
        </section>
      )}
      {notes.length === 0 ? null : (
        <section class="card">
          <h2>What was assumed</h2>
          <ul class="plain">
            {notes.map((note, at) => (
              <li key={at}>{note}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Figures({
  answer: { onExisting, pricePerHour: cost, refused },
  launched,
}: {
  readonly answer: WhatIfAnswer;
  readonly launched: number;
}) {
  return (
    <dl class="summary" aria-label="Result">
      <div class="figure">
        <dt>Nodes to launch</dt>
        <dd class="figure-value">{launched}</dd>
        <dd class="soft">{count(onExisting, 'pod')} on nodes that exist</dd>
      </div>
      <div class="figure">
        <dt>Additional price</dt>
        <dd class="figure-value">{pricePerHour(cost)}</dd>
        <dd class="soft">{pricePerMonth(cost)}</dd>
      </div>
      <div class={refused.length > 0 ? 'figure figure-warning' : 'figure'}>
        <dt>Refused</dt>
        <dd class="figure-value">{refused.reduce((sum, each) => sum + each.count, 0)}</dd>
        <dd class="soft">pods that no NodePool accepts</dd>
      </div>
    </dl>
  );
}

function Launches({ answer: { nodes } }: { readonly answer: WhatIfAnswer }) {
  return (
    <section class="card">
      <h2>
        Nodes{' '}
        <ExportButtons
          name="what-if"
          table={() => ({
            columns: [
              'count',
              'nodePool',
              'type',
              'zone',
              'capacity',
              'podsEach',
              'pricePerHourEach',
              'pricePerHour',
            ],
            rows: nodes.map(({ count: each, pool, type, zone, capacity, pods, pricePerHour: cost }) => [
              each,
              pool,
              type,
              zone,
              capacity,
              pods,
              cost,
              sumOf(cost, each),
            ]),
          })}
        />
      </h2>
      <DataTable
        label="Nodes that would be launched"
        headings={[
          { number: 'Count' },
          'NodePool',
          'Type',
          'Zone',
          'Capacity',
          { number: 'Pods each' },
          { number: '$/h each' },
          { number: 'Sum $/h' },
        ]}
      >
        {nodes.map(({ count: each, pool, type, zone, capacity, pods, pricePerHour: cost }, at) => (
          <tr key={at}>
            <td class="number">{each}</td>
            <td>{pool}</td>
            <td>{type}</td>
            <td>{zone}</td>
            <td>{capacity}</td>
            <td class="number">{pods}</td>
            <td class="number">{price(cost)}</td>
            <td class="number">{price(sumOf(cost, each))}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

/** A row is of equal nodes. */
function sumOf(perHour: number | null, nodes: number): number | null {
  return perHour === null ? null : Number((perHour * nodes).toFixed(6));
}

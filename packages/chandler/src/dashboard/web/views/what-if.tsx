/** Manifests in, a plan out: what the simulator would do. Nothing is changed. */
import { useState } from 'preact/hooks';
import type { WhatIfAnswer, WireError } from '../../wire.ts';
import { errorText } from '../api.ts';
import { useApp } from '../app-context.ts';
import { count, price, pricePerHour, pricePerMonth } from '../model/format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';

type State = 'nothing' | 'asking' | { readonly answer: WhatIfAnswer } | { readonly error: WireError };

export function WhatIf() {
  const { connection } = useApp();
  const [text, setText] = useState('');
  const [state, setState] = useState<State>('nothing');
  const ask = (event: Event) => {
    event.preventDefault();
    setState('asking');
    connection.api
      .post<WhatIfAnswer>('what-if', text, 'application/yaml')
      .then((answer) => setState({ answer }))
      .catch((error: unknown) => setState({ error: errorText(error) }));
  };
  const dropped = async (event: DragEvent) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    setText((await Promise.all(files.map((file) => file.text()))).join('\n---\n'));
  };
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
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => void dropped(event)}
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
      <div class="results" aria-live="polite">
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

function Result({ state }: { readonly state: State }) {
  if (state === 'nothing') return <Empty title="Nothing was simulated yet" />;
  if (state === 'asking') return <Loading text="Simulating" />;
  if ('error' in state) return <Failed error={state.error} />;
  return <Plan answer={state.answer} />;
}

function Plan({ answer }: { readonly answer: WhatIfAnswer }) {
  const { nodes, onExisting, refused, problems, notes = [] } = answer;
  const launched = nodes.reduce((sum, each) => sum + each.count, 0);
  return (
    <>
      <dl class="summary" aria-label="Result">
        <div class="figure">
          <dt>Nodes to launch</dt>
          <dd class="figure-value">{launched}</dd>
          <dd class="soft">{count(onExisting, 'pod')} on nodes that exist</dd>
        </div>
        <div class="figure">
          <dt>Additional price</dt>
          <dd class="figure-value">{pricePerHour(answer.pricePerHour)}</dd>
          <dd class="soft">{pricePerMonth(answer.pricePerHour)}</dd>
        </div>
        <div class={refused.length > 0 ? 'figure figure-warning' : 'figure'}>
          <dt>Refused</dt>
          <dd class="figure-value">{refused.reduce((sum, each) => sum + each.count, 0)}</dd>
          <dd class="soft">pods that no NodePool accepts</dd>
        </div>
      </dl>
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
          <h2>Refused pods</h2>
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

function Launches({ answer: { nodes } }: { readonly answer: WhatIfAnswer }) {
  return (
    <section class="card">
      <h2>
        Nodes{' '}
        <ExportButtons
          name="what-if"
          table={() => ({
            columns: ['count', 'nodePool', 'type', 'zone', 'capacity', 'pods', 'pricePerHour'],
            rows: nodes.map(({ count: each, pool, type, zone, capacity, pods, pricePerHour: cost }) => [
              each,
              pool,
              type,
              zone,
              capacity,
              pods,
              cost,
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
          { number: 'Pods' },
          { number: '$/h' },
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
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

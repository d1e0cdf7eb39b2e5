/** The page of a node, NodeClaim, pod, NodePool or node class: why, conditions, values with their sources, and command lines. */
import { useState } from 'preact/hooks';
import type { NodeRow, ObjectAnswer, PodRow } from '../../wire.ts';
import { useAnswer, useRoute, useServerNow, useStore } from '../app-context.ts';
import { POD_PHASES } from '../cluster/tile-tip.tsx';
import { cores, count, duration, memory, pricePerHour } from '../model/format.ts';
import { requestsOf } from '../model/node-requests.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ExplanationView } from '../parts/explanation.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Fact } from '../parts/fact.tsx';
import { Subject } from '../parts/link.tsx';
import { Meter } from '../parts/meter.tsx';
import { PoolFacts } from '../parts/pool-facts.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Time, TimedText } from '../parts/time.tsx';
import { GoneObject } from './gone-object.tsx';

const MAX_PODS = 200;

export function ObjectPage() {
  const { subject } = useRoute();
  const answer = useAnswer<ObjectAnswer>(
    `object?${new URLSearchParams({ subject })}`,
    'nodes',
    'pending',
    'happened',
    'claims',
  );
  if (subject === '')
    return <Empty title="No object is named">The address of an object ends with its subject.</Empty>;
  return (
    <>
      <NodeFacts subject={subject} />
      <PoolFacts subject={subject} />
      {answer.value === null && answer.error?.status === 404 ? (
        <GoneObject subject={subject} />
      ) : (
        <Answered answer={answer}>{(value) => <Parts answer={value} />}</Answered>
      )}
    </>
  );
}

/** Of nodes, at once from what the page has already. */
function NodeFacts({ subject }: { readonly subject: string }) {
  const store = useStore('all');
  const nowMs = useServerNow();
  const [kind, name] = [subject.split('/', 1)[0]!, subject.slice(subject.indexOf('/') + 1)];
  if (kind !== 'Node' && kind !== 'NodeClaim') return null;
  const node = store.nodes.get(name) ?? [...store.nodes.values()].find((each) => each.claim === name);
  if (node === undefined) return null;
  const load = store.loadOf(node.name);
  const requests = requestsOf(store, node);
  return (
    <>
      <dl class="facts">
        <Fact name="Phase">
          <span class={`phase phase-${node.phase}`}>{node.phaseText}</span>
        </Fact>
        <Fact name="NodePool">
          {node.pool === null ? '–' : <Subject subject={`NodePool/${node.pool}`}>{node.pool}</Subject>}
        </Fact>
        <Fact name="Type">{node.type ?? '–'}</Fact>
        <Fact name="Zone">{node.zone ?? '–'}</Fact>
        <Fact name="Capacity">{node.capacity ?? '–'}</Fact>
        <Fact name="Price">{pricePerHour(node.pricePerHour)}</Fact>
        <Fact name="Age">{node.createdMs === null ? '–' : duration(nowMs - node.createdMs)}</Fact>
        <Fact name="Version">{node.version ?? '–'}</Fact>
        <Fact name="CPU requested">
          <Meter {...requests.cpuMillis} label="CPU" />
        </Fact>
        <Fact name="Memory requested">
          <Meter {...requests.memoryBytes} label="memory" />
        </Fact>
      </dl>
      {load === undefined ? null : <Pods node={node} pods={[...load.pods.values()]} />}
    </>
  );
}

function Pods({ node, pods }: { readonly node: NodeRow; readonly pods: PodRow[] }) {
  pods.sort((a, b) => b[4] - a[4]);
  return (
    <details class="card">
      <summary>{count(pods.length, 'pod')}</summary>
      <p>
        <ExportButtons
          name={`pods-${node.name}`}
          table={() => ({
            columns: ['namespace', 'name', 'node', 'phase', 'cpuMillis', 'memoryBytes', 'workload'],
            rows: pods.map(([namespace, name, on, phase, ...rest]) => [
              namespace,
              name,
              on,
              POD_PHASES[phase],
              ...rest,
            ]),
          })}
        />
      </p>
      <DataTable
        label={`Pods of ${node.name}`}
        headings={['Pod', 'Workload', 'Phase', { number: 'CPU' }, { number: 'Memory' }]}
      >
        {pods.slice(0, MAX_PODS).map((pod) => (
          <tr key={`${pod[0]}/${pod[1]}`}>
            <th scope="row">
              <Subject subject={`Pod/${pod[0]}/${pod[1]}`}>
                {pod[0]}/{pod[1]}
              </Subject>
            </th>
            <td>{pod[6] || '–'}</td>
            <td>{POD_PHASES[pod[3]]}</td>
            <td class="number">{cores(pod[4])}</td>
            <td class="number">{memory(pod[5])}</td>
          </tr>
        ))}
      </DataTable>
      {pods.length > MAX_PODS ? (
        <p class="soft">
          The {MAX_PODS} largest of {pods.length}.
        </p>
      ) : null}
    </details>
  );
}

function Parts({ answer }: { readonly answer: ObjectAnswer }) {
  return (
    <>
      <section class="card">
        <h2>Why</h2>
        <ExplanationView answer={answer.answer} />
      </section>
      {answer.commands.length === 0 ? null : (
        <section class="card">
          <h2>Commands</h2>
          <ul class="plain">
            {answer.commands.map((command) => (
              <Command key={command} command={command} />
            ))}
          </ul>
        </section>
      )}
      <Conditions conditions={answer.conditions} />
      <Values answer={answer} />
      {answer.related.length === 0 ? null : (
        <section class="card">
          <h2>Related</h2>
          <ul class="names">
            {answer.related.map((subject) => (
              <li key={subject}>
                <Subject subject={subject} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {answer.events.length === 0 ? null : (
        <section class="card">
          <h2>Events</h2>
          <ul class="plain">
            {answer.events.map((event, at) => (
              <li key={at} class={event.warning ? 'row-warning' : undefined}>
                <Time ms={event.atMs} /> <code>{event.reason}</code> <TimedText text={event.text} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Conditions({ conditions }: { readonly conditions: ObjectAnswer['conditions'] }) {
  const nowMs = useServerNow(5000);
  if (conditions.length === 0) return null;
  return (
    <section class="card">
      <h2>Conditions</h2>
      <DataTable label="Conditions" headings={['Type', 'Status', 'Reason', 'Since', 'Message']}>
        {conditions.map(({ type, status, reason, message, sinceMs }) => (
          <tr key={type}>
            <th scope="row">{type}</th>
            <td>{status}</td>
            <td>{reason}</td>
            <td>{sinceMs === null ? '–' : duration(nowMs - sinceMs)}</td>
            <td class="wide">
              <TimedText text={message} />
            </td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Values({ answer }: { readonly answer: ObjectAnswer }) {
  const labels = Object.entries(answer.labels);
  return (
    <>
      {answer.values.length === 0 ? null : (
        <section class="card">
          <h2>Values and where they came from</h2>
          <DataTable label="Values" headings={['Name', 'Value', 'From']}>
            {answer.values.map(({ name, value, from }, at) => (
              <tr key={at}>
                <th scope="row">{name}</th>
                <td class="wide">{value}</td>
                <td class="wide soft">{from}</td>
              </tr>
            ))}
          </DataTable>
        </section>
      )}
      {labels.length === 0 ? null : (
        <details class="card">
          <summary>{count(labels.length, 'label')}</summary>
          <ul class="plain">
            {labels.map(([name, value]) => (
              <li key={name}>
                <code>
                  {name}={value}
                </code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function Command({ command }: { readonly command: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(command).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <li class="command">
      <code>{command}</code>
      <button type="button" onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
        <span class="hidden"> {command}</span>
      </button>
    </li>
  );
}

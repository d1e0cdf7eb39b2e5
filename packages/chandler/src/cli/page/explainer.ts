/** Answers of `chandler why` for the page, from the cluster alone: the page asks no cloud. */
import { type Clock, KubeClient, type Transport } from '@chandler/kube';
import { LAYER_TEXTS, type Layer, type ObjectReader } from '../../causes/index.ts';
import type { CloudDiagnosis, DiagnosisRow } from '../../cloud/index.ts';
import { QuestionError, type wire } from '../../dashboard/index.ts';
import {
  type Explanation,
  explain,
  explanationJson,
  explanationText,
  liveReader,
  type Subject,
} from '../../diagnose/index.ts';
import { chooseCloud } from '../why/choose-cloud.ts';
import { gatherSubject } from '../why/gather-subject.ts';
import { sharedReader } from './shared-reader.ts';

export interface ExplainerOptions {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
  /** Explanations go through it, in a process that has other things to do. Default: all at once. */
  readonly limited?: <T>(work: () => Promise<T>) => Promise<T>;
}

export class Explainer {
  readonly #options: ExplainerOptions;
  /** By the name of the cloud. */
  readonly #diagnoses = new Map<string, Promise<CloudDiagnosis>>();

  constructor(options: ExplainerOptions) {
    this.#options = options;
  }

  /** Explanations of one answer: what they all read is read once. */
  forOneAnswer(): Pick<Explainer, 'explain'> {
    const reader = this.#reader();
    return { explain: (subject) => this.#limited(() => this.#explain(subject, reader)) };
  }

  /** @throws {QuestionError} when there is no such object, or it cannot be read. */
  explain(subject: Subject): Promise<wire.Explanation> {
    return this.#limited(() => this.#explain(subject, this.#reader()));
  }

  #limited<T>(work: () => Promise<T>): Promise<T> {
    const { limited } = this.#options;
    return limited === undefined ? work() : limited(work);
  }

  #reader(): ObjectReader {
    const { transport, clock, signal } = this.#options;
    const client = new KubeClient({ transport });
    return sharedReader(liveReader({ client, clock, signal, pageSize: PAGE_SIZE }));
  }

  async #explain(subject: Subject, ofAnswer: ObjectReader): Promise<wire.Explanation> {
    const reader = () => ofAnswer;
    // A cluster may have nodes of several clouds.
    const row = await chooseCloud(CLOUD_OF_OBJECTS, reader(), subject);
    const cloud = await this.#diagnosisOf(row);
    const source = { reader, cloud, namespace: undefined, close: async () => undefined };
    const gathered = await gatherSubject(source, subject, false);
    if (gathered.state === 'unreadable')
      throw gathered.why === 'forbidden'
        ? new QuestionError(403, gathered.message)
        : new QuestionError(503, gathered.message, 'check the connection to the API server');
    if (gathered.state !== 'gathered') throw new QuestionError(404, gathered.message);
    return toWire(gathered.subject, explain(gathered.subject, gathered.evidence, cloud));
  }

  #diagnosisOf(row: DiagnosisRow): Promise<CloudDiagnosis> {
    const known =
      this.#diagnoses.get(row.name) ??
      row.diagnosis({ why: 'notAsked', message: 'the page does not ask the cloud' });
    this.#diagnoses.set(row.name, known);
    known.catch(() => this.#diagnoses.delete(row.name));
    return known;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Of realistic size, more of them would take a long turn of the event loop. */
const PAGE_SIZE = 200;

const CLOUD_OF_OBJECTS = {
  cloud: { name: undefined, query: () => 'off' as const },
  warn: () => undefined,
};

function toWire({ kind, name, namespace }: Subject, explanation: Explanation): wire.Explanation {
  const json = explanationJson(explanation) as Omit<wire.Explanation, 'subject' | 'text'>;
  return {
    ...json,
    layers: json.layers.map((line) => ({ ...line, title: LAYER_TEXTS[line.layer as Layer].title })),
    subject: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    text: explanationText(explanation),
  };
}

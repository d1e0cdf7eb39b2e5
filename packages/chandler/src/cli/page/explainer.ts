/** Answers of `chandler why` for the page, from the cluster alone: the page asks no cloud. */
import { type Clock, KubeClient, type Transport } from '@chandler/kube';
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
import type { OpenSource } from '../why/source.ts';

export interface ExplainerOptions {
  readonly transport: Transport;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
}

export class Explainer {
  readonly #options: ExplainerOptions;
  #source: Promise<OpenSource> | undefined;

  constructor(options: ExplainerOptions) {
    this.#options = options;
  }

  /** @throws {QuestionError} when there is no such object, or it may not be read. */
  async explain(subject: Subject): Promise<wire.Explanation> {
    const source = await this.#open();
    const gathered = await gatherSubject(source, subject, false);
    if (gathered.state === 'unreadable') throw new QuestionError(403, gathered.message);
    if (gathered.state !== 'gathered') throw new QuestionError(404, gathered.message);
    return toWire(gathered.subject, explain(gathered.subject, gathered.evidence, source.cloud));
  }

  /** Which cloud it is about does not change while the page runs. */
  #open(): Promise<OpenSource> {
    const { transport, clock, signal } = this.#options;
    const client = new KubeClient({ transport });
    const reader = () => liveReader({ client, clock, signal });
    const cloud = { name: undefined, query: () => 'off' as const };
    this.#source ??= chooseCloud({ cloud, warn: () => undefined }, reader(), undefined).then(async (row) => ({
      reader,
      cloud: await row.diagnosis({ why: 'notAsked', message: 'the page does not ask the cloud' }),
      namespace: undefined,
      close: async () => undefined,
    }));
    this.#source.catch(() => {
      this.#source = undefined;
    });
    return this.#source;
  }
}

// ---------------------------------------------------------------------------------------------------

function toWire({ kind, name, namespace }: Subject, explanation: Explanation): wire.Explanation {
  const json = explanationJson(explanation) as Omit<wire.Explanation, 'subject' | 'text'>;
  return {
    ...json,
    subject: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    text: explanationText(explanation),
  };
}

/** Runs `chandler page --recording FILE`: serves a recorded run on loopback until it is stopped. No cluster is read. */
import { NODES, Store, type World } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import { escapeControls } from '../../causes/index.ts';
import {
  type DashboardQuestions,
  newToken,
  type OpenedPage,
  pageAssets,
  QuestionError,
  ReadModel,
  type ReadRecording,
  RecordingError,
  readRecording,
  startPageServer,
} from '../../dashboard/index.ts';
import { BUILD } from '../../settings/index.ts';
import { startFailure } from '../playground/failures.ts';
import { untilAborted } from '../until-aborted.ts';
import { EXIT_OK, Failure, type Terminal } from '../verb.ts';
import { RECORDED_VIEWS } from './views.table.ts';

export interface RunRecordingRequest {
  readonly file: string;
  readonly world: World;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly port: number;
  readonly output: 'text' | 'json';
}

/** @throws {Failure} when the file is not a recording or the port is in use. */
export async function runRecording(request: RunRecordingRequest): Promise<number> {
  const { file, world, terminal, port, output, signal } = request;
  const recording = await readRecording(file).catch((error: unknown) => {
    throw error instanceof RecordingError ? new Failure(error.message) : error;
  });
  const { cluster } = recording.head;
  const server = await startPageServer({
    world,
    open: () => openRecording(recording, world),
    assets: pageAssets(),
    session: { program: BUILD.version, cluster, views: RECORDED_VIEWS, recording: 'file' },
    token: newToken(world.random),
    port,
  }).catch((error: unknown) => {
    throw startFailure(error, { port, host: '127.0.0.1' });
  });
  try {
    const { address } = server;
    const minutes = Math.round((recording.endMs - recording.startMs) / 60_000);
    terminal.out(
      output === 'json'
        ? `${JSON.stringify({ ready: true, address, port: server.port, cluster })}\n`
        : `The recording of ${escapeControls(cluster)}, ${minutes} minutes: ${address}\n` +
            'It can be looked at, on this machine, until you stop it with Ctrl-C.\n',
    );
    await untilAborted(signal);
    return EXIT_OK;
  } finally {
    await server.close();
  }
}

// ---------------------------------------------------------------------------------------------------

/** There is no cluster: the rows come from the recording, in the browser. */
async function openRecording(recording: ReadRecording, { clock, random }: World): Promise<OpenedPage> {
  const model = new ReadModel({
    sources: {
      nodes: new Store({ resource: NODES }),
      claims: new Store({ resource: NODE_CLAIMS }),
      claimsAreKnown: true,
      pools: new Store({ resource: NODE_POOLS }),
      pods: undefined,
      events: [],
      freezes: undefined,
    },
    clock,
    epoch: random.uuid(),
  });
  await model.start();
  return { model, questions: NO_ANSWERS, recording };
}

const noAnswer = async () => {
  throw new QuestionError(404, 'a recording has no answers', 'look at a running cluster: `chandler page`');
};

const NO_ANSWERS: DashboardQuestions = {
  pending: noAnswer,
  claims: noAnswer,
  savings: noAnswer,
  timeline: noAnswer,
  object: noAnswer,
  whatIf: noAnswer,
};

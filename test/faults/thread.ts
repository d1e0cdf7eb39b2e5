/** The code of a worker thread: executes one run at a time and replies with its result. See `threads.ts`. */
import { parentPort } from 'node:worker_threads';
import { runBugWorkload } from './bug-workload.ts';
import { crashAt } from './crash-sweep.ts';
import { deliberateBugs } from './deliberate-bugs.ts';
import type { FaultRun, Outcome } from './fault-run.ts';
import { runTrial } from './trial.ts';

parentPort?.on('message', async (run: FaultRun) => {
  parentPort?.postMessage(await execute(run));
});

// ---------------------------------------------------------------------------------------------------

async function execute(run: FaultRun): Promise<Outcome> {
  const { cloud } = run;
  switch (run.kind) {
    case 'seed':
      return runTrial({ seed: run.seed, ...(cloud === undefined ? {} : { cloud }) });
    case 'crash':
      return crashAt(run.effect, run.answer, cloud);
    case 'scenario':
      return runBugWorkload({ scenario: run.scenario, cloud });
    case 'bug': {
      const bug = (await deliberateBugs()).find(({ name }) => name === run.bug);
      if (bug === undefined) throw new Error(`there is no bug "${run.bug}"`);
      return runBugWorkload({ ...bug, until: bug.foundBy });
    }
  }
}

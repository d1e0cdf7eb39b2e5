/** The code of a worker thread: executes one run at a time and replies with its result. See `threads.ts`. */
import { parentPort } from 'node:worker_threads';
import { runBugWorkload } from './bug-workload.ts';
import { crashAt } from './crash-sweep.ts';
import { DELIBERATE_BUGS } from './deliberate-bugs.ts';
import type { FaultRun, Outcome } from './fault-run.ts';
import { runTrial } from './trial.ts';

parentPort?.on('message', async (run: FaultRun) => {
  parentPort?.postMessage(await execute(run));
});

// ---------------------------------------------------------------------------------------------------

function execute(run: FaultRun): Promise<Outcome> {
  switch (run.kind) {
    case 'seed':
      return runTrial({ seed: run.seed });
    case 'crash':
      return crashAt(run.effect, run.answer);
    case 'scenario':
      return runBugWorkload({}, run.scenario);
    case 'bug': {
      const bug = DELIBERATE_BUGS.find(({ name }) => name === run.bug);
      if (bug === undefined) throw new Error(`there is no bug "${run.bug}"`);
      return runBugWorkload(bug.seams, bug.scenario, bug.foundBy);
    }
  }
}

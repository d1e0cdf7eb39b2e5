/** Whether a node runs the versions of an upgrade: it reports them, is Ready, and stays so. */
import { rethrowProgramError } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import { codeOf, type Live, nodeFacts, waitFor } from '../kubelet/live.ts';
import { areServicesUp, HOLD_MS, steadiness } from '../kubelet/start.ts';
import { runsWith } from '../steps/services.ts';
import { changedComponents, sameVersion, type Versions } from './versions.ts';

/** Ready is not enough: the new kubelet must report it, and go on running. */
export async function proveVersion(live: Live, from: Versions, to: Versions): Promise<void> {
  // If containerd was restarted, the last step has waited.
  const onlyKubelet = changedComponents(from, to).every((each) => each === 'kubernetes');
  const holdMs = onlyKubelet ? HOLD_MS : 0;
  const holds = steadiness(live, holdMs);
  let last = '';
  let isReady = false;
  const time = { withinMs: VERSION_WITHIN_MS + holdMs, everyMs: 2_000 };
  const arrived = await waitFor(live, time, async () => {
    try {
      const node = await nodeFacts(live);
      last = node?.kubeletVersion ?? 'no version';
      isReady = node?.ready === true;
      return (await holds(isReady && sameVersion(last, to.kubernetes))) ? true : undefined;
    } catch (error) {
      if (live.signal.aborted) throw error;
      rethrowProgramError(error);
      last = codeOf(error).message;
      return undefined;
    }
  });
  if (arrived !== undefined) return;
  if (sameVersion(last, to.kubernetes)) {
    throw new FlexError({
      class: 'step',
      code: 'upgrade.not-steady',
      message: `the Node reports ${last}, but ${isReady ? 'the services do not stay up' : 'does not stay Ready'}`,
      remedy: 'Check journalctl -u kubelet -n 100 --no-pager.',
    });
  }
  throw new FlexError({
    class: 'step',
    code: 'upgrade.old-version',
    message: `the Node reports ${last}, but ${to.kubernetes} was installed`,
    remedy: 'Check systemctl status kubelet. A drop-in may start another kubelet.',
  });
}

/** The kubelet was started after the last new file, and the Node stays Ready for the time in which a failure would show. */
export async function isWell(live: Live, versions: Versions): Promise<boolean> {
  // The steps that replace files delete this fact first, and the last step sets it.
  if (live.facts.get(runsWith('kubelet')) === undefined) return false;
  try {
    const holds = steadiness(live, HOLD_MS);
    for (;;) {
      const node = await nodeFacts(live);
      if (node?.ready !== true || !sameVersion(node.kubeletVersion ?? '', versions.kubernetes)) return false;
      if (!(await areServicesUp(live))) return false;
      if (await holds(true)) return true;
      await live.world.clock.sleep(2_000, live.signal);
    }
  } catch (error) {
    if (live.signal.aborted) throw error;
    rethrowProgramError(error);
    return false;
  }
}

// ---------------------------------------------------------------------------------------------------

const VERSION_WITHIN_MS = 60_000;

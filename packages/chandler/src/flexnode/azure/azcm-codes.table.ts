/**
 * The error codes of azcmagent and what to do about them.
 * Source: Microsoft Learn, "Troubleshoot Azure Connected Machine agent connection issues", read 2026-11.
 */
import type { FailureClass } from '../flex-error.ts';

export interface AzcmCode {
  readonly class: FailureClass;
  readonly means: string;
  readonly remedy: string;
  /** It may pass by itself: asked again a few times. */
  readonly passing?: true;
}

const HIMDS_SILENT: Pick<AzcmCode, 'class' | 'means' | 'remedy' | 'passing'> = {
  class: 'step',
  means: 'the local service of the agent (himds) does not answer',
  remedy: 'systemctl restart himdsd; journalctl -u himdsd; then run bootstrap again',
  passing: true,
};

const INSTALLATION: AzcmCode = {
  class: 'step',
  means: 'the agent could not be installed',
  remedy: 'look at /var/opt/azcmagent/log/azcmagent.log and at the output of dpkg',
};

export const AZCM_CODES: Readonly<Record<string, AzcmCode>> = {
  AZCM0011: {
    class: 'step',
    means: 'an unexpected error inside the agent',
    remedy: 'azcmagent logs; then run bootstrap again',
  },
  AZCM0012: {
    class: 'auth',
    means: 'the access token is not valid',
    remedy: 'log in again (az login), check azure.tenantId, azure.cloud and the clock of this machine',
  },
  AZCM0016: {
    class: 'config',
    means: 'a parameter is missing',
    remedy: 'check azure.subscriptionId, azure.tenantId and azure.arc in the config',
  },
  AZCM0017: {
    class: 'config',
    means: 'a parameter is not valid',
    remedy: 'check azure.arc in the config: location, machineName, tags',
  },
  AZCM0018: { class: 'usage', means: 'the command needs root', remedy: 'run bootstrap as root' },
  AZCM0019: {
    class: 'step',
    means: 'the agent could not read its config file',
    remedy: 'check that /run has room, then run bootstrap again',
  },
  AZCM0026: {
    class: 'network',
    means: 'the agent cannot reach Azure',
    remedy: 'azcmagent check; open the endpoints it names, or set proxy.https in the config',
    passing: true,
  },
  AZCM0041: {
    class: 'auth',
    means: 'the credentials are not valid',
    remedy: 'check azure.servicePrincipal, or log in again (az login)',
  },
  AZCM0042: {
    class: 'auth',
    means: 'the Arc machine could not be created',
    remedy:
      'the operator needs Azure Connected Machine Onboarding on the resource group, and the provider Microsoft.HybridCompute must be registered; a new role takes some minutes to work',
    passing: true,
  },
  AZCM0043: {
    class: 'auth',
    means: 'the Arc machine could not be deleted',
    remedy: 'azcmagent disconnect --force-local-only, and delete the machine in Azure',
  },
  AZCM0044: {
    class: 'config',
    means: 'an Arc machine of this name exists already',
    remedy: 'choose another azure.arc.machineName, or delete the machine in Azure',
  },
  AZCM0061: HIMDS_SILENT,
  AZCM0062: {
    class: 'step',
    means: 'connecting failed half way',
    remedy: 'delete the half-made machine in Azure, then run bootstrap again',
  },
  AZCM0063: {
    class: 'step',
    means: 'disconnecting failed',
    remedy: 'azcmagent disconnect --force-local-only',
  },
  AZCM0064: HIMDS_SILENT,
  AZCM0065: HIMDS_SILENT,
  AZCM0066: HIMDS_SILENT,
  AZCM0067: {
    class: 'config',
    means: 'this machine is connected already',
    remedy: 'azcmagent show tells to which resource; azcmagent disconnect takes it away from there',
  },
  AZCM0068: {
    class: 'auth',
    means: 'this machine is connected, and the credentials are for another tenant',
    remedy: 'log in to the tenant of the machine (azcmagent show)',
  },
  AZCM0070: HIMDS_SILENT,
  AZCM0127: INSTALLATION,
  AZCM0128: INSTALLATION,
  AZCM0129: {
    class: 'preflight',
    means: 'the agent does not run on this operating system',
    remedy: 'use a release of Ubuntu that the agent supports',
  },
  AZCM0130: INSTALLATION,
  AZCM0131: INSTALLATION,
  AZCM0132: INSTALLATION,
  AZCM0133: INSTALLATION,
  AZCM0134: INSTALLATION,
  AZCM0135: INSTALLATION,
  AZCM0136: INSTALLATION,
  AZCM0137: INSTALLATION,
  AZCM0138: INSTALLATION,
  AZCM0139: INSTALLATION,
  AZCM0140: INSTALLATION,
  AZCM0141: INSTALLATION,
  AZCM0142: INSTALLATION,
  AZCM0143: INSTALLATION,
  AZCM0144: INSTALLATION,
  AZCM0145: INSTALLATION,
  AZCM0146: INSTALLATION,
};

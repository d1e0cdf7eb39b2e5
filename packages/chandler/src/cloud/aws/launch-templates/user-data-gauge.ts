/** Karpenter's gauge of how large the user data of nodes is, by node class, so that its growth is seen before EC2 refuses it. */
import type { Metrics } from '@chandler/kube';
import { AwsLabel } from '../../../api/index.ts';
import type { CreateLaunchTemplateRequest } from '../launch/index.ts';

export class UserDataGauge {
  readonly #gauge: ReturnType<Metrics['gauge']>;

  constructor(metrics: Metrics) {
    this.#gauge = metrics.gauge({
      name: 'karpenter_ec2nodeclasses_userdata_bytes',
      help: 'Size of the user data of the last launch template of an EC2NodeClass, in bytes before base64.',
      labels: ['nodeclass'],
    });
  }

  measure({ LaunchTemplateData, TagSpecifications }: CreateLaunchTemplateRequest): void {
    const tags = TagSpecifications.flatMap(({ Tags }) => Tags);
    const nodeclass = tags.find(({ Key }) => Key === AwsLabel.nodeClass)?.Value;
    if (nodeclass === undefined) return;
    this.#gauge.set(Buffer.byteLength(LaunchTemplateData.UserData, 'base64'), { nodeclass });
  }

  forget(nodeclass: string): void {
    this.#gauge.remove({ nodeclass });
  }
}

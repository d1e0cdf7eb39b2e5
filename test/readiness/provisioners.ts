/** An Application that delivers the NodePools and EC2NodeClasses of the estate. */
export const PROVISIONERS = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: karpenter-provisioners
spec:
  destination:
    server: https://kubernetes.default.svc
  source:
    repoURL: https://git.harbor.io/gitops.git
    path: prod/karpenter
  syncPolicy:
    automated: {}
`;

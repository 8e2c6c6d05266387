import { render, type SimpleCommand } from "@hooks/shell";
import type { Rule } from "../rule.js";
import { shaped } from "./shaped.js";

const DELETING_CALL = /(^|\.)(delete|terminate|deregister|purge|destroy)_\w+$|(^|\.)Delete\w+Command$/;
const SDK = /\b(boto3|aioboto3|google\.cloud|azure\.(mgmt|storage)|@aws-sdk|aws-sdk|@google-cloud)\b/;

/** A one-liner that asks a cloud's library to delete. */
function deletesByCode({ code }: SimpleCommand): string | null {
  if (code === null || !SDK.test(render(code.source))) return null;
  return code.calls.find(({ name }) => DELETING_CALL.test(name))?.name ?? null;
}

/** Optional rules about accounts in the cloud. */
export const cloud: readonly Rule[] = [
  shaped({
    id: "cloud-delete",
    group: "cloud",
    severity: "high",
    explanation: "It deletes resources of a cloud account: machines, buckets, databases.",
    instead: "List or describe them, and let the person delete what is meant.",
    alternatives: ["aws s3 ls", "aws ec2 describe-instances", "gcloud compute instances list"],
    references: ["https://docs.aws.amazon.com/cli/latest/reference/"],
    hits: [
      "aws s3 rm s3://b --recursive",
      "aws s3 rb s3://b --force",
      "aws ec2 terminate-instances --instance-ids i-1",
      "gcloud compute instances delete x -q",
      "az group delete -n x",
      "gsutil rm -r gs://b",
    ],
    misses: [
      "aws s3 ls",
      "aws s3 cp a s3://b/a",
      "gcloud projects list",
      "az group list",
      "aws s3 rm s3://b --recursive --dryrun",
    ],
    shapes: [
      "aws s3 rb",
      "aws s3 rm --recursive",
      "aws s3 sync --delete",
      "aws * delete-*|terminate-*|deregister-*|purge-*|destroy-*|remove-*|revoke-*|schedule-key-deletion|disable-key",
      "aws organizations leave-organization|close-account",
      "gcloud * delete|destroy|purge",
      "gcloud * * delete|destroy",
      "gcloud alpha|beta * * delete|destroy",
      "gcloud storage rm|buckets",
      "gsutil rb",
      "gsutil rm -r|-R",
      "gsutil rsync -d",
      "bq rm",
      "az * delete|purge",
      "az * * delete|purge",
      "doctl * delete|d|rm",
      "doctl * * delete|d|rm",
      "linode-cli * delete|rm",
      "hcloud * delete",
      "oci * delete|terminate",
      "oci * * delete|terminate",
      "ibmcloud * delete|*-delete",
      "heroku apps:destroy|destroy|pg:reset|addons:destroy|releases:rollback",
      "fly|flyctl apps|volumes|machine|postgres destroy|delete",
      "fly|flyctl destroy",
      "vercel|vc rm|remove",
      "netlify sites:delete|unlink",
      "firebase *:delete|*:disable",
      "wrangler delete",
      "wrangler kv|r2|d1|queues delete|bulk",
      "wrangler kv|r2|d1|queues * delete",
      "railway down|delete",
      "supabase db|projects reset|delete",
      "scw * delete|terminate",
      "s3cmd rb|del|rm --recursive",
      "rclone purge|delete|deletefile|sync",
      "mc rb|rm --force",
    ],
  }),
  {
    id: "cloud-delete-by-code",
    group: "cloud",
    severity: "high",
    explanation: "It deletes resources of a cloud account: machines, buckets, databases.",
    instead: "List or describe them, and let the person delete what is meant.",
    alternatives: ["python3 -c \"import boto3; print(boto3.client('s3').list_buckets())\""],
    references: ["https://boto3.amazonaws.com/v1/documentation/api/latest/index.html"],
    hits: ["python3 -c \"import boto3; boto3.client('s3').delete_bucket(Bucket='x')\""],
    misses: ["python3 -c \"import boto3; boto3.client('s3').list_buckets()\"", "python3 -c 'delete_bucket(1)'"],
    when: ({ code }) => code !== null && code.calls.length > 0,
    test: deletesByCode,
  },
];

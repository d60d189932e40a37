#!/bin/bash
# An array job: each task evaluates one shard. When all have ended:
#   sqlverdict evaluate --merge runs --out runs/mine
#SBATCH --job-name=sqlverdict
#SBATCH --array=1-4
#SBATCH --cpus-per-task=8
set -euo pipefail
PARTS=${SLURM_ARRAY_TASK_COUNT:-4}
# Exit code 4 says that some cases could not be evaluated; the run is whole all the same.
sqlverdict evaluate --cases "$CASES" --metrics ex --quiet \
    --shard "$SLURM_ARRAY_TASK_ID/$PARTS" --out "runs/part$SLURM_ARRAY_TASK_ID" || test $? -eq 4

/* How launchers of ranks tell a process that it is one: what the engine reads, and the drop-in's
 * shim, which is plain C. */
#ifndef DUOBLAS_PROBLEM_LAUNCHERS_H
#define DUOBLAS_PROBLEM_LAUNCHERS_H

/* Names of variables. */
struct duoblas_launcher {
  const char *number, *on_host, *in_job;
  const char* only_with; /* has to be set, too; null: nothing has */
};

/* The one that started this process first: torchrun under mpirun or srun, mpirun in a job of Slurm.
 * Slurm's variables of a step, since a batch script has the others, too, and is one process. */
static const struct duoblas_launcher duoblas_launchers[] = {
    {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE", "TORCHELASTIC_RUN_ID"}, /* torchrun */
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE", 0},
    /* What Open MPI 4 sets itself in a process that nobody launched, beside PMIX_RANK. */
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_MCA_orte_ess_num_procs", 0},
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_SIZE", 0},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE", 0}, /* MPICH's and Intel's hydra */
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE", "PMI_SIZE", 0},   /* Cray */
    {"LOCAL_RANK", "LOCAL_WORLD_SIZE", "WORLD_SIZE", 0}, /* others that start PyTorch's programs */
    {"SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NUM_TASKS", 0},
};

/* The number in the job, where no size is told. */
#define DUOBLAS_RANK_WITHOUT_SIZE "PMIX_RANK"

#endif

"""Who examines the tasks: worker processes, or this process.

``coordinate``   workers, judge stage and log together
``worker_pool``  worker processes that are watched and, if need be, killed
``ray_pool``     actors of a Ray cluster, each of which guards a worker process
``node_files``   the databases of a node: the same as the driver's, or copied once
``deaths``       whose doing it is that a process died
``worker``       one worker process, the chunks that it is given, and what it says it is running
``batches``      a chunk of tasks: first all their queries, then the rest
"""

// The peer of bench/engine.ts: what a Node service of this kind usually is, mapping every container to its own shape.
import Docker from "dockerode";
import fastify from "fastify";

const [socketPath, port] = process.argv.slice(2);
const docker = new Docker({ socketPath });
const app = fastify();

app.get("/api/containers", async () => {
  const containers = await docker.listContainers({ all: true });
  return {
    items: containers.map((one) => ({
      id: one.Id,
      name: one.Names[0]?.slice(1),
      image: one.Image,
      imageId: one.ImageID,
      state: one.State,
      status: one.Status,
      createdAt: new Date(one.Created * 1000).toISOString(),
      ports: one.Ports,
      labels: one.Labels,
    })),
    total: containers.length,
  };
});
app.get("/api/containers/:id", (request) => docker.getContainer(request.params.id).inspect());

await app.listen({ host: "127.0.0.1", port: Number(port) });

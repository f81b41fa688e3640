# %% [markdown]
# # A hologram, reconstructed
# Twelve beads of 10 um radius are simulated 1 mm from the sensor; their distance is found by autofocus, and what the
# reconstruction gives is plotted. Run it as a program, or cell by cell in an editor that knows `# %%`.

# %%
import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import parallax

parser = argparse.ArgumentParser()
parser.add_argument("--out", default="hologram.png")
parser.add_argument("--device", default="")
options = parser.parse_args()
session = parallax.Session(options.device)
optics = dict(wavelength_nm=532, pixel_um=1.4)

# %% [markdown]
# ## The hologram

# %%
hologram = session.hologram_simulate(width=512, height=512, count=12, radius_um=10, distance_um=1000, **optics)["hologram"]

# %% [markdown]
# ## Where are the beads in focus?
# A sweep over distances, each judged by how sharp its amplitude is.

# %%
sweep = session.hologram(hologram, **optics, distance_um={"from": 800, "to": 1200, "step": 10}, autofocus={"object": "amplitude"}, planes="best",
                         outputs=["amplitude", "phase", "focus"])
print("in focus at", sweep["focus"]["best_distance_um"], "um")

# %% [markdown]
# ## The picture

# %%
figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), constrained_layout=True)
edge = 512 * optics["pixel_um"]
for axis, title, array in zip(axes, ("hologram", "amplitude in focus", "phase in focus"), (hologram, sweep["amplitude"], sweep["phase"])):
    picture = array.numpy().squeeze()
    low, high = np.percentile(picture, [0.5, 99.5])
    shown = axis.imshow(picture, cmap="gray", vmin=low, vmax=high, extent=(0, edge, edge, 0))
    axis.set(title=title, xlabel="x (um)", ylabel="y (um)")
    figure.colorbar(shown, ax=axis, shrink=0.8)
figure.suptitle(f"{session.engine.device['name']}, Parallax {parallax.__version__}")
figure.savefig(options.out, dpi=110)

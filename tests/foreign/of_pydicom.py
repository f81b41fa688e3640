"""What pydicom makes of a DICOM file: values by its modality table, colours by its palette, distances by its elements."""

import numpy
import pydicom
from pydicom import pixels, uid

LOSSY = (uid.JPEGBaseline8Bit, uid.JPEGExtended12Bit, uid.JPEGLSNearLossless, uid.JPEG2000)


def array_of(path):
    """(elements as they are meant, how near another decoder comes). Raises where pydicom cannot decode it."""
    data = pydicom.dcmread(path, force=True)
    raw = pixels.pixel_array(data, raw=True)
    photometric = data.get("PhotometricInterpretation", "")
    lossy = data.get("file_meta", {}).get("TransferSyntaxUID", "") in LOSSY
    if photometric == "PALETTE COLOR":
        array = pixels.apply_color_lut(raw, data)
        wide = data.RedPaletteColorLookupTableDescriptor[2] > 8 and array.max() > 255
        return ((array >> 8) if wide else array).astype("uint8"), 0.0
    if data.get("SamplesPerPixel", 1) == 3:
        array = pixels.pixel_array(data)   # RGB
        # Luminance and colours by whole numbers, rounded in two ways.
        return array, 3.0 if lossy else 1.0 if photometric.startswith("YBR") else 0.0
    array = raw
    if "ModalityLUTSequence" in data or "RescaleSlope" in data:
        array = pixels.apply_modality_lut(raw, data)
        if data.get("RescaleSlope", 1) == 1 and data.get("RescaleIntercept", 0) == 0 and "ModalityLUTSequence" not in data:
            array = raw
    frames = data.get("PerFrameFunctionalGroupsSequence") or []
    own = [group.PixelValueTransformationSequence[0] for group in frames if "PixelValueTransformationSequence" in group]
    if own and len(own) == len(frames):   # which apply_modality_lut leaves alone
        array = numpy.stack([frame * float(o.RescaleSlope) + float(o.RescaleIntercept) for frame, o in zip(raw.reshape((len(own), *raw.shape[-2:])), own)])
    if data.get("BitsAllocated") == 1:
        array = array * 255
    # Rescaled values are f32 here and f64 there.
    return array, 1.0 if lossy else 1e-6 if array.dtype.kind == "f" else 0.0


def steps_of(path):
    """{axis: step} as the header's own elements state it: mm, and s of t."""
    data = pydicom.dcmread(path, force=True, stop_before_pixels=True)
    said = {}
    spacing = data.get("PixelSpacing") or data.get("ImagerPixelSpacing") or data.get("NominalScannedPixelSpacing")
    for group in (data.get("SharedFunctionalGroupsSequence") or [])[:1] + (data.get("PerFrameFunctionalGroupsSequence") or [])[:1]:
        for measures in group.get("PixelMeasuresSequence") or []:
            spacing = spacing or measures.get("PixelSpacing")
    regions = {(float(r.PhysicalDeltaX), float(r.PhysicalDeltaY)) for r in data.get("SequenceOfUltrasoundRegions") or []
               if r.get("PhysicalUnitsXDirection") == 3 and r.get("PhysicalUnitsYDirection") == 3}
    if not spacing and len(regions) == 1:
        x, y = regions.pop()
        spacing = [abs(y) * 10, abs(x) * 10]
    if spacing:
        said["y"], said["x"] = float(spacing[0]), float(spacing[1])
    if data.get("FrameTime") and int(data.get("NumberOfFrames", 1)) > 1:
        said["t"] = float(data.FrameTime) / 1000
    return said
